// Charts of what the table shows, for one GPU model and class at a time: nothing else may be compared.
const mostPoints = 750;
const mostBars = 40;
const mostLines = 6;

function everyNth(list, most) {
  const step = Math.ceil(list.length / most);
  return step > 1 ? list.filter((_, i) => i % step === 0) : list;
}

// A frame with two axes. `x` and `y`: {low, high, log, ticks, text}; heights and widths in units of the picture.
function frame(width, height, left, x, y, label) {
  const [right, top, bottom] = [14, 10, 34];
  const picture = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  const scale = (axis, from, to) => {
    const at = axis.log ? Math.log : (v) => v;
    return (v) => from + (to - from) * (at(v) - at(axis.low)) / (at(axis.high) - at(axis.low));
  };
  const [px, py] = [scale(x, left, width - right), scale(y, height - bottom, top)];
  for (const tick of x.ticks) {
    picture.append(svgElement('line', { class: 'grid', x1: px(tick), x2: px(tick), y1: top, y2: height - bottom }),
        svgElement('text', { class: 'centre', x: px(tick), y: height - bottom + 15 }, x.text(tick)));
  }
  for (const tick of y.ticks) {
    picture.append(svgElement('line', { class: 'grid', x1: left, x2: width - right, y1: py(tick), y2: py(tick) }),
        svgElement('text', { class: 'right', x: left - 6, y: py(tick) + 4 }, y.text(tick)));
  }
  if (x.name) picture.append(svgElement('text', { class: 'right', x: width - right, y: height - 4 }, x.name));
  return { picture, px, py };
}

// A few factors of powers of ten within the range, the fewer the wider it is.
function logTicks(low, high) {
  const ticks = [];
  const decades = Math.log10(high / low);
  const factors = decades > 2.2 ? [1] : decades > 1.1 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(+tick.toPrecision(3));
    }
  }
  return ticks;
}

function ratioAxis(values) {
  let [low, high] = [1, 1];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const ends = { low: Math.min(low / 1.08, 0.7), high: Math.max(high * 1.08, 1.5), log: true };
  return { ...ends, ticks: logTicks(ends.low, ends.high), text: (v) => `${v}\u00d7` };
}

function show(id, title, note, picture, legend = []) {
  const caption = element('figcaption', {}, element('h3', {}, title), element('p', {}, note));
  const items = legend.map((text, i) => element('li', { class: `s${i}` }, text));
  document.getElementById(id).replaceChildren(caption, ...(picture ? [picture] : []),
      ...(items.length ? [element('ul', { class: 'legend' }, ...items)] : []));
}

// Of one board its candidates, else the leader of each board.
function speedupBars(shown) {
  const one = new Set(shown.map((row) => row.problem)).size === 1;
  const ranked = shown.filter((row) => row.rank);
  const seen = new Set();
  const leaders = ranked.filter((row) => !seen.has(row.problem) && seen.add(row.problem));
  const bars = (one ? ranked : leaders).slice(0, mostBars);
  const title = one ? `Speedups on ${shown[0].problem}` : 'Leaders by problem';
  if (!bars.length) return show('speedups', title, 'Nothing here has a speed.');
  document.getElementById('speedups').classList.toggle('tall', bars.length > 16);
  // Names stand above the bars: beside them the longest would leave no room.
  const [left, step] = [8, 29];
  const height = 44 + step * bars.length;
  const x = ratioAxis(bars.flatMap((row) => [row.interval.low, row.interval.high]));
  const { picture, px } = frame(560, height, left, x, { low: 0, high: 1, ticks: [] }, title);
  bars.forEach((row, i) => {
    const y = 28 + step * i;
    const [at, speed] = [px(1), px(row.speed)];
    const tip = svgElement('title', {}, `${row.candidate}: ${ratioText(row.speed)} (${intervalText(row.interval)}) vs ${row.against}`);
    picture.append(svgElement('g', {}, tip,
        svgElement('text', { class: 'strong', x: left, y: y - 5 }, clipped(one ? row.name : row.problem, 76)),
        svgElement('text', { class: 'right', x: 546, y: y - 5 }, ratioText(row.speed)),
        svgElement('rect', { class: `fill ${row.speed < 1 ? 's1' : 's0'}`, x: Math.min(at, speed), y, width: Math.max(1, Math.abs(speed - at)), height: 11, rx: 1.5 }),
        svgElement('line', { class: 'whisker', x1: px(row.interval.low), x2: px(row.interval.high), y1: y + 5.5, y2: y + 5.5 })));
  });
  picture.append(svgElement('line', { class: 'one', x1: px(1), x2: px(1), y1: 6, y2: height - 32 }));
  const all = one ? ranked.length : leaders.length;
  const note = `Against what the table says, with 95 % intervals.${all > bars.length ? ` The first ${bars.length} of ${wholeText(all)}.` : ''}`;
  return show('speedups', title, note, picture);
}

function rooflinePlot(shown, focus) {
  const ceilings = data.devices.find((device) => device.name === focus.device).ceilings;
  const points = everyNth(shown.filter((row) => row.intensity && row.rate), mostPoints);
  const title = 'Roofline';
  if (!ceilings || !points.length) {
    return show('roofline', title, ceilings ? 'Nothing here says how many operations it did.' : 'The ceilings of this device are not known.');
  }
  const bandwidth = ceilings.copy_bytes_per_second;
  const rates = ['fp32', 'tf32', 'bf16'].map((name) => [name, ceilings[`${name}_flops_per_second`]]);
  const ridges = rates.map(([, rate]) => rate / bandwidth);
  const bounds = (values, low, high) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [low, high]);
  const [low, high] = bounds(points.map((row) => row.intensity), Math.min(...ridges) / 8, Math.max(...ridges) * 3);
  const [slow, fast] = bounds(points.map((row) => row.rate), bandwidth * low, Math.max(...rates.map(([, rate]) => rate)));
  const axis = (a, b) => ({ low: a / 1.4, high: b * 1.4, log: true });
  const x = { ...axis(low, high), text: (v) => String(v), name: 'operations per byte' };
  const y = { ...axis(slow, fast), text: (v) => `${+(v / 1e12).toPrecision(3)}` };
  x.ticks = logTicks(x.low, x.high);
  y.ticks = logTicks(y.low, y.high);
  const { picture, px, py } = frame(560, 330, 46, x, y, `${title}: ${points.length} candidates below the ceilings of ${focus.device}`);
  const memory = Math.max(...ridges);
  picture.append(svgElement('path', { class: 'ceiling', d: `M${px(x.low)} ${py(bandwidth * x.low)}L${px(memory)} ${py(bandwidth * memory)}` }));
  for (const [name, rate] of rates) {
    picture.append(svgElement('path', { class: 'ceiling', d: `M${px(rate / bandwidth)} ${py(rate)}H${px(x.high)}` }),
        svgElement('text', { class: 'right strong', x: px(x.high), y: py(rate) - 4 }, `${name} ${+(rate / 1e12).toPrecision(3)}`));
  }
  for (const row of points) {
    picture.append(svgElement('circle', { class: `dot fill s${classes.indexOf(focus.precision) % 3}`, cx: px(row.intensity).toFixed(1), cy: py(row.rate).toFixed(1), r: 3.4 },
        svgElement('title', {}, `${row.problem}, ${row.name}: ${+(row.rate / 1e12).toPrecision(3)} TFLOP/s`)));
  }
  const note = `TFLOP/s by operations per byte, all measured cases of a candidate together, under ${(bandwidth / 1e12).toPrecision(3)} TB/s and the measured rates.`;
  return show('roofline', title, note, picture);
}

function fastCurve(shown, focus) {
  const types = new Set(shown.map((row) => row.dtype));
  const type = types.has('float32') ? 'float32' : [...types][0];
  const fits = (suite, against) => suite.device === focus.device && suite.dtype === type &&
      suite.precision === focus.precision && suite.against === against;
  const suite = data.suites.find((s) => fits(s, 'baseline')) || data.suites.find((s) => fits(s, 'reference')) ||
      data.suites.find((s) => fits(s, s.against));
  if (!suite) return show('fast', 'fast_p', 'Nothing here has a speed.');
  const lines = suite.rows.slice(0, mostLines);
  const x = ratioAxis(lines.flatMap((row) => row.speedups));
  const y = { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], text: (v) => `${100 * v} %` };
  const { picture, px, py } = frame(560, 300, 46, { ...x, name: 'p' }, y, `fast_p of ${lines.length} solutions`);
  picture.append(svgElement('line', { class: 'one', x1: px(1), x2: px(1), y1: py(1), y2: py(0) }));
  lines.forEach(({ speedups }, i) => {
    // From the left, where all accepted ones are faster, down a step at each speedup.
    let path = `M${px(x.low)} ${py(speedups.length / suite.problems)}`;
    for (let n = speedups.length - 1; n >= 0; --n) path += `H${px(speedups[n]).toFixed(1)}V${py(n / suite.problems).toFixed(1)}`;
    picture.append(svgElement('path', { class: `line stroke s${i}`, d: `${path}H${px(x.high)}` }));
  });
  const note = `Share of ${suite.problems} problems answered in ${type === 'float32' ? '' : `${type}, `}${suite.precision} and more than p times as fast as the ` +
      `${suite.against === 'baseline' ? 'strongest baseline' : suite.against}${suite.cache === 'warm' ? ' with a warm cache' : ''}${suite.rows.length > lines.length ? `; ${lines.length} of ${wholeText(suite.rows.length)} solutions` : ''}.`;
  return show('fast', 'fast_p', note, picture, lines.map(({ solution, accepted }) => `${solution} (${accepted} of ${suite.problems})`));
}

// Every result, and the best so far where they are of one board.
function historyPlot(shown) {
  const points = [];
  for (const row of shown) {
    if (!row.rank) continue;
    for (const result of [...row.earlier, row]) {
      const speed = result === row ? row.speed : earlierSpeed(row, result);
      if (speed) points.push([Date.parse(result.measured_at), speed, row, result.new_version]);
    }
  }
  if (!points.length) return show('history', 'History', 'Nothing here has a speed.');
  points.sort((a, b) => a[0] - b[0]);
  const [first, last] = [points[0][0], points[points.length - 1][0]];
  // Room for half of a date beside the first point and the last.
  const margin = Math.max((last - first) * 0.12, 3.6e6);
  const x = { low: first - margin, high: last + margin, text: (v) => new Date(v).toISOString().slice(0, 10) };
  x.ticks = last - first < 8.64e7 ? [(first + last) / 2] : [first, (first + last) / 2, last];
  const { picture, px, py } = frame(560, 300, 46, x, ratioAxis(points.map((point) => point[1])), 'Speedups by the time of measuring');
  picture.append(svgElement('line', { class: 'one', x1: px(x.low), x2: px(x.high), y1: py(1), y2: py(1) }));
  const one = new Set(shown.map((row) => row.problem)).size === 1;
  if (one) picture.append(bestSoFar(points, px, py, x.high));
  for (const [time, speed, row, changed] of everyNth(points, mostPoints)) {
    picture.append(svgElement('circle', { class: `dot fill s0${changed ? ' changed' : ''}`, cx: px(time).toFixed(1), cy: py(speed).toFixed(1), r: 3 },
        svgElement('title', {}, `${row.problem}, ${row.name}: ${ratioText(speed)}${changed ? ', a new version' : ''}`)));
  }
  const ringed = points.some((point) => point[3]) ? '; new versions are ringed' : '';
  return show('history', 'History', `Speedups by the day of measuring${one ? '; the line is the best so far' : ''}${ringed}.`, picture);
}

function bestSoFar(points, px, py, end) {
  let best = points[0][1];
  let path = `M${px(points[0][0]).toFixed(1)} ${py(best).toFixed(1)}`;
  for (const [time, speed] of points) {
    if (speed <= best) continue;
    best = speed;
    path += `H${px(time).toFixed(1)}V${py(best).toFixed(1)}`;
  }
  return svgElement('path', { class: 'line stroke s1', d: `${path}H${px(end).toFixed(1)}` });
}

// The GPU model and class of most ranked rows.
function focusOf(found) {
  const groups = new Map();
  for (const { device, precision, rank } of found) {
    const key = `${precision} ${device}`;
    if (!groups.has(key)) groups.set(key, { device, precision, count: 0 });
    groups.get(key).count += rank ? 1 : 1e-6;
  }
  return [...groups.values()].reduce((best, group) => (best && best.count >= group.count ? best : group), null);
}

function drawCharts(found) {
  const focus = focusOf(found);
  const text = document.getElementById('focus');
  if (!focus) {
    text.textContent = 'No candidate matches.';
    for (const id of ['speedups', 'roofline', 'fast', 'history']) document.getElementById(id).replaceChildren();
    return;
  }
  text.textContent = `Of what the table shows: ${focus.device}, ${focus.precision}.`;
  const shown = found.filter((row) => row.device === focus.device && row.precision === focus.precision);
  speedupBars(shown);
  rooflinePlot(shown, focus);
  fastCurve(shown, focus);
  historyPlot(shown);
}
