// Charts of what the filters let through, for one GPU model and class at a time: nothing else may be compared.
const mostPoints = 750;
const mostBars = 40;
const mostLines = 6;
const textWidth = 6.6;

const barOf = (row) => ({ row, speed: row.speed, interval: row.interval, against: row.against });

// Of one board its candidates, else the first of each board. Without ranks speeds are outlines without intervals.
function speedupBars(shown, where) {
  const one = new Set(shown.map((row) => row.problem)).size === 1;
  const ranked = shown.filter((row) => row.rank);
  const speedy = ranked.length ? ranked : shown.filter((row) => row.speed).sort((a, b) => b.speed - a.speed);
  const seen = new Set();
  const leaders = speedy.filter((row) => !seen.has(row.problem) && seen.add(row.problem));
  // Speedups over a library and over the reference are not to be compared.
  const beside = one ? [] : leaders.filter((row) => row.library);
  const all = one ? speedy.map(barOf) : (beside.length ? beside.map((row) => ({ row, ...row.library })) : leaders.map(barOf)).sort((a, b) => b.speed - a.speed);
  const bars = all.slice(0, mostBars);
  const kind = ranked.length ? 'Leaders' : 'Fastest, without ranks,';
  const title = one ? `Speedups on ${shown[0].problem}` : `${kind} by problem against ${beside.length ? 'a library' : 'the reference'}`;
  if (!bars.length) return showFigure('speedups', title, where, 'No speed was measured: these results have verdicts only.');
  document.getElementById('speedups').classList.toggle('tall', bars.length > 16);
  // Names stand above the bars: beside them the longest would leave no room.
  const [left, step, width] = [18, 31, widthOf('speedups')];
  const height = 44 + step * bars.length;
  const x = ratioAxis(bars.flatMap(({ speed, interval }) => (interval ? [interval.low, interval.high] : [speed])), width);
  const { picture, px } = frame(width, height, left, x, { low: 0, high: 1, ticks: [] }, title);
  bars.forEach(({ row, speed, interval, against }, i) => {
    const y = 30 + step * i;
    const [at, end] = [px(1), px(speed)];
    const tip = svgElement('title', {}, `${row.candidate}: ${ratioText(speed)} (${intervalText(interval) || 'no interval'}) vs ${against}`);
    const look = `${row.rank ? 'fill' : 'outline'} ${speed < 1 ? 's1' : 's0'}`;
    picture.append(svgElement('g', {}, tip,
        svgElement('text', { class: 'strong', x: left, y: y - 5 }, clipped(one ? row.name : row.problem, Math.floor((width - 90) / textWidth))),
        svgElement('text', { class: 'right', x: width - 14, y: y - 5 }, ratioText(speed)),
        svgElement('rect', { class: look, x: Math.min(at, end), y, width: Math.max(1, Math.abs(end - at)), height: 11, rx: 1.5 }),
        ...(interval ? [svgElement('line', { class: 'whisker', x1: px(interval.low), x2: px(interval.high), y1: y + 5.5, y2: y + 5.5 })] : [])));
  });
  picture.append(svgElement('line', { class: 'one', x1: px(1), x2: px(1), y1: 6, y2: height - 24 }));
  const unranked = ranked.length && !one
      ? new Set(shown.filter((row) => row.speed && !seen.has(row.problem)).map((row) => row.problem)).size : 0;
  const versus = [...new Set(bars.map(({ against }) => against))];
  const note = `${versus.length > 3 ? 'Against what the table says' : `Against ${versus.map(againstText).join(', ')}`}` +
      `${ranked.length ? ', with 95 % intervals' : '; without intervals these have no rank'}.` +
      `${!one && beside.length && beside.length < leaders.length ? ` ${countText(leaders.length - beside.length, 'more problem')} had no library beside the candidates.` : ''}` +
      `${unranked ? ` Without a rank, and not here: ${countText(unranked, 'problem')}.` : ''}` +
      `${all.length > bars.length ? ` The first ${bars.length} of ${wholeText(all.length)}.` : ''}`;
  return showFigure('speedups', title, where, note, picture);
}

function rooflinePlot(shown, focus, where) {
  const ceilings = data.devices.find((device) => device.name === focus.device).ceilings;
  const points = everyNth(shown.filter((row) => row.intensity && row.rate), mostPoints);
  const title = 'Roofline';
  if (!ceilings || !points.length) {
    const why = ceilings ? 'No measured result here says how many operations it did.' : 'The ceilings of this device were not measured.';
    return showFigure('roofline', title, where, why);
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
  const [width, height] = [widthOf('roofline'), 330];
  x.ticks = logTicks(x.low, x.high, width / tickRoom);
  y.ticks = logTicks(y.low, y.high, height / 30);
  const { picture, px, py } = frame(width, height, 50, x, y, `${title}: ${points.length} candidates below the ceilings of ${focus.device}`);
  const memory = Math.max(...ridges);
  picture.append(svgElement('path', { class: 'ceiling', d: `M${px(x.low)} ${py(bandwidth * x.low)}L${px(memory)} ${py(bandwidth * memory)}` }));
  let above = -Infinity;
  for (const [name, rate] of [...rates].reverse()) {
    // Below its line where it would stand on the label above.
    const label = py(rate) - 4 < above + 16 ? py(rate) + 13 : py(rate) - 4;
    above = label;
    picture.append(svgElement('path', { class: 'ceiling', d: `M${px(rate / bandwidth)} ${py(rate)}H${px(x.high)}` }),
        svgElement('text', { class: 'right strong', x: px(x.high), y: label }, `${name} ${+(rate / 1e12).toPrecision(3)}`));
  }
  for (const row of points) {
    picture.append(svgElement('circle', { class: `dot fill s${classes.indexOf(focus.precision) % 3}`, cx: px(row.intensity).toFixed(1), cy: py(row.rate).toFixed(1), r: 3.4 },
        svgElement('title', {}, `${row.problem}, ${row.name}: ${+(row.rate / 1e12).toPrecision(3)} TFLOP/s`)));
  }
  const note = `TFLOP/s by operations per byte, all measured cases of a candidate together, under ${(bandwidth / 1e12).toPrecision(3)} TB/s and the measured rates.`;
  return showFigure('roofline', title, where, note, picture);
}

function fastCurve(shown, focus, where) {
  const types = new Set(shown.map((row) => row.board.dtype));
  const type = types.has('float32') ? 'float32' : [...types][0];
  const fits = (suite, against) => suite.device === focus.device && suite.dtype === type &&
      suite.precision === focus.precision && suite.against === against;
  const suite = data.suites.find((s) => fits(s, 'baseline')) || data.suites.find((s) => fits(s, 'reference')) ||
      data.suites.find((s) => fits(s, s.against));
  const title = 'Solutions over all problems (fast_p)';
  if (!suite) return showFigure('fast', title, where, 'No speed was measured: these results have verdicts only.');
  const lines = suite.rows.slice(0, mostLines);
  const width = widthOf('fast');
  const x = ratioAxis(lines.flatMap((row) => row.speedups), width);
  const y = { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], text: (v) => `${100 * v} %` };
  const { picture, px, py } = frame(width, 300, 50, { ...x, name: 'p' }, y, `fast_p of ${lines.length} solutions`);
  picture.append(svgElement('line', { class: 'one', x1: px(1), x2: px(1), y1: py(1), y2: py(0) }));
  lines.forEach(({ speedups }, i) => {
    // From the left, where all accepted ones are faster, down a step at each speedup.
    let path = `M${px(x.low)} ${py(speedups.length / suite.problems)}`;
    for (let n = speedups.length - 1; n >= 0; --n) path += `H${px(speedups[n]).toFixed(1)}V${py(n / suite.problems).toFixed(1)}`;
    picture.append(svgElement('path', { class: `line stroke s${i}`, d: `${path}H${px(x.high)}` }));
  });
  const note = `Share of ${suite.problems} problems answered in ${type === 'float32' ? '' : `${type}, `}${suite.precision} and more than p times as fast as ` +
      `${againstText(suite.against)}${suite.cache === 'warm' ? ' with a warm cache' : ''}${suite.rows.length > lines.length ? `; ${lines.length} of ${wholeText(suite.rows.length)} solutions` : ''}. ` +
      'Filters of single results do not change it.';
  return showFigure('fast', title, where, note, picture, lines.map(({ solution, accepted }) => `${solution} (${accepted} of ${suite.problems})`));
}

// Every result as {time, speed, row, changed}: changed if its file was another one than that of the result before.
function historyPoints(shown) {
  const points = [];
  for (const row of shown) {
    if (!row.rank) continue;
    let changed = 0;
    for (const result of [...row.earlier, { time: row.measured, speed: row.speed, changed: 0 }]) {
      if (result.speed) points.push({ time: 1000 * result.time, speed: result.speed, row, changed });
      changed = result.changed;
    }
  }
  return points.sort((a, b) => a.time - b.time);
}

function historyPlot(shown, where) {
  const points = historyPoints(shown);
  const speedy = shown.some((row) => row.speed);
  if (!points.length) return showFigure('history', 'History', where, speedy ? 'Only results with a rank have a history.' : 'No speed was measured.');
  const [first, last] = [points[0].time, points[points.length - 1].time];
  // Room for half of a date beside the first point and the last.
  const margin = Math.max((last - first) * 0.12, 3.6e6);
  const x = { low: first - margin, high: last + margin, text: (v) => new Date(v).toISOString().slice(0, 10) };
  const width = widthOf('history');
  x.ticks = last - first < 8.64e7 ? [(first + last) / 2] : width < 420 ? [first, last] : [first, (first + last) / 2, last];
  const { picture, px, py } = frame(width, 300, 50, x, ratioAxis(points.map(({ speed }) => speed), 300), 'Speedups by the time of measuring');
  picture.append(svgElement('line', { class: 'one', x1: px(x.low), x2: px(x.high), y1: py(1), y2: py(1) }));
  const one = new Set(shown.map((row) => row.problem)).size === 1;
  if (one) picture.append(bestSoFar(points, px, py, x.high));
  for (const { time, speed, row, changed } of everyNth(points, mostPoints)) {
    picture.append(svgElement('circle', { class: `dot fill s0${changed ? ' changed' : ''}`, cx: px(time).toFixed(1), cy: py(speed).toFixed(1), r: 3 },
        svgElement('title', {}, `${row.problem}, ${row.name}: ${ratioText(speed)}${changed ? ', a new version' : ''}`)));
  }
  const ringed = points.some(({ changed }) => changed) ? '; new versions are ringed' : '';
  return showFigure('history', 'History', where, `Speedups by the day of measuring, each against what the table says${one ? '; the line is the best so far' : ''}${ringed}.`, picture);
}

function bestSoFar(points, px, py, end) {
  let best = points[0].speed;
  let path = `M${px(points[0].time).toFixed(1)} ${py(best).toFixed(1)}`;
  for (const { time, speed } of points) {
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
    text.textContent = 'Nothing matches.';
    for (const id of ['speedups', 'roofline', 'fast', 'history']) document.getElementById(id).replaceChildren();
    return;
  }
  const where = `${focus.device}, ${focus.precision}`;
  const shown = found.filter((row) => row.device === focus.device && row.precision === focus.precision);
  text.textContent = `${wholeText(shown.length)} of the ${countText(found.length, 'result')} that the filters let through: those on ${where}. ` +
      'Only results on one GPU model and of one class can be compared; the filters choose another.';
  speedupBars(shown, where);
  rooflinePlot(shown, focus, where);
  fastCurve(shown, focus, where);
  historyPlot(shown, where);
}
