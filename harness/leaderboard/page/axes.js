// What the charts share: frames with axes, and figures with captions. A picture is as wide as its place, so that its
// text has the size that the style says, on a phone too.
const lowestWidth = 260;
const tickRoom = 46;

function everyNth(list, most) {
  const step = Math.ceil(list.length / most);
  return step > 1 ? list.filter((_, i) => i % step === 0) : list;
}

// The width of a figure's picture. Without a layout, as when its view is not shown, the lowest.
function widthOf(id) {
  const figure = document.getElementById(id);
  const style = getComputedStyle(figure);
  return Math.max(lowestWidth, Math.floor(figure.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) || 0);
}

// A frame with two axes. `x` and `y`: {low, high, log, ticks, text}; lengths in pixels.
function frame(width, height, left, x, y, label) {
  const [right, top, bottom] = [14, 10, x.name ? 42 : 26];
  const picture = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  const scale = (axis, from, to) => {
    const at = axis.log ? Math.log : (v) => v;
    return (v) => from + (to - from) * (at(v) - at(axis.low)) / (at(axis.high) - at(axis.low));
  };
  const [px, py] = [scale(x, left, width - right), scale(y, height - bottom, top)];
  for (const tick of x.ticks) {
    picture.append(svgElement('line', { class: 'grid', x1: px(tick), x2: px(tick), y1: top, y2: height - bottom }),
        svgElement('text', { class: 'centre', x: px(tick), y: height - bottom + 16 }, x.text(tick)));
  }
  for (const tick of y.ticks) {
    picture.append(svgElement('line', { class: 'grid', x1: left, x2: width - right, y1: py(tick), y2: py(tick) }),
        svgElement('text', { class: 'right', x: left - 6, y: py(tick) + 4 }, y.text(tick)));
  }
  if (x.name) picture.append(svgElement('text', { class: 'right', x: width - right, y: height - 6 }, x.name));
  return { picture, px, py };
}

// At most `most` factors of powers of ten within the range.
function logTicks(low, high, most) {
  const within = (factors, step) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += step) {
      for (const factor of factors) {
        const tick = factor * 10 ** power;
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(+tick.toPrecision(3));
      }
    }
    return ticks;
  };
  const choices = [[[1, 1.5, 2, 3, 5, 7], 1], [[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 5]];
  return choices.map(([factors, step]) => within(factors, step)).find((ticks) => ticks.length <= most) || [];
}

function ratioAxis(values, width) {
  let [low, high] = [1, 1];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const ends = { low: Math.min(low / 1.08, 0.7), high: Math.max(high * 1.08, 1.5), log: true };
  return { ...ends, ticks: logTicks(ends.low, ends.high, width / tickRoom), text: (v) => `${v}\u00d7` };
}

// `where`: the GPU model and class that a picture is of.
function showFigure(id, title, where, note, picture, legend = []) {
  const caption = element('figcaption', {}, element('h3', {}, title), element('p', { class: 'where' }, where), element('p', {}, note));
  const items = legend.map((text, i) => element('li', { class: `s${i}` }, text));
  document.getElementById(id).replaceChildren(caption, ...(picture ? [picture] : []),
      ...(items.length ? [element('ul', { class: 'legend' }, ...items)] : []));
}
