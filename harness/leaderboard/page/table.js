// Rows of the table. Texts come from candidates' authors: they are set as text, never as markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A scale of logarithms for the bars: as wide on both sides of 1 as the rows need, and at least a half.
const barScale = (() => {
  const sizes = [];
  for (let row = 0; row < count; ++row) if (rows.rank[row]) sizes.push(Math.abs(Math.log(rows.speed[row])));
  sizes.sort((a, b) => a - b);
  const reach = Math.max(Math.log(1.5), sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0) * 1.08;
  return (x) => 46 + 44 * Math.max(-1, Math.min(1, Math.log(x) / reach));
})();

function bar(row) {
  const picture = svgElement('svg', { class: 'bar', viewBox: '0 0 92 14', 'aria-hidden': 'true' });
  if (!rows.rank[row]) return picture;
  const [x, low, high] = [rows.speed[row], rows.low[row], rows.high[row]].map(barScale);
  const width = Math.max(1, Math.abs(x - 46));
  picture.append(
      svgElement('rect', { x: Math.min(46, x), y: 3, width, height: 8, rx: 1, ...(rows.speed[row] < 1 ? { class: 'slow' } : {}) }),
      svgElement('line', { class: 'axis', x1: 46, x2: 46, y1: 0, y2: 14 }),
      svgElement('line', { class: 'whisker', x1: low, x2: high, y1: 7, y2: 7 }));
  return picture;
}

function speedCell(row) {
  const cell = element('td', { class: 'number speed', role: 'cell' });
  if (!rows.speed[row]) return cell;
  cell.append(element('span', { class: 'value' }, ratioText(rows.speed[row])), ' ',
      element('span', { class: 'interval' }, intervalText(rows.low[row], rows.high[row])), bar(row),
      element('span', { class: 'against' }, `vs ${data.against[rows.against[row]]}`));
  return cell;
}

function otherCell(label, text, kind = '') {
  return element('td', { class: `other ${kind}${text ? '' : ' empty'}`, role: 'cell', ...(label ? { 'data-label': label } : {}) }, text);
}

// A line may end after an underscore.
function verdictCell(verdict, ok) {
  const cell = otherCell('', '', `verdict ${ok ? 'accepted' : 'refused'}`);
  cell.classList.remove('empty');
  cell.append(...verdict.split(/(?<=_)/).flatMap((part) => [part, element('wbr')]));
  return cell;
}

function tableRow(row, chosen) {
  const id = idOf(row);
  const link = element('a', { href: chosen ? '#' : `#r-${id}`, title: pathOf(row), 'aria-expanded': String(chosen) }, nameOf(row));
  if (chosen) link.dataset.close = id;
  const ok = rows.verdict[row] === accepted;
  const made = element('tr', { id: `r-${id}`, role: 'row', ...(chosen ? { class: 'chosen' } : {}) },
      element('td', { class: 'number rank', role: 'cell' }, rankText(row)),
      element('th', { class: 'name', scope: 'row', role: 'rowheader' }, link, element('span', { class: 'hash' }, hashOf(row).slice(0, 7))),
      element('td', { class: 'problem', role: 'cell' }, problemOf(row)),
      otherCell('', data.devices[rows.device[row]], 'device '),
      otherCell('', classes[rows.precision[row]], ok ? '' : 'dim '),
      speedCell(row),
      otherCell('vs reference', rows.reference[row] ? ratioText(rows.reference[row]) : '', 'number'),
      otherCell('total median', rows.ms[row] ? timeText(rows.ms[row]) : '', 'number'),
      otherCell('roofline', rows.share[row] ? percentText(rows.share[row]) : '', 'number'),
      verdictCell(data.verdicts[rows.verdict[row]], ok),
      otherCell('measured', data.times[rows.time[row]].slice(0, 10), 'number'));
  return made;
}

function historyText(row) {
  const points = data.history[row] || [];
  // A version ends where the next result is of another one.
  const text = ([time, speed, verdict, version]) =>
      `${data.times[time].slice(0, 10)} ${speed ? ratioText(speed) : data.verdicts[verdict]}` +
      (version ? ` (version ${version}, then changed)` : '');
  return points.slice(-12).map(text).join(', ');
}

function details(row) {
  const list = element('dl');
  const add = (name, text) => { if (text) list.append(element('dt', {}, name), element('dd', {}, text)); };
  add('File', pathOf(row));
  add('SHA-256', `${hashOf(row)}\u2026`);
  add('Problem', data.problems[rows.problem[row]][2]);
  add(rows.verdict[row] === accepted ? 'No rank' : 'Why', data.messages[rows.message[row]]);
  if (rows.rank[row]) {
    add('Rank', rows.worst[row] > rows.rank[row]
        ? `${rows.rank[row]} to ${rows.worst[row]}, for all that the intervals say` : `${rows.rank[row]}`);
    add('95 % interval', `${intervalText(rows.low[row], rows.high[row])} vs ${data.against[rows.against[row]]}`);
  }
  add('Measured', `${data.times[rows.time[row]].replace('T', ' ').replace('Z', ' UTC')}, kgrade ${data.tools[rows.tool[row]]}, ` +
      `effort ${data.efforts[rows.effort[row]]}`);
  add('Record', data.files[rows.file[row]]);
  add('Before', historyText(row));
  return element('tr', { class: 'details', role: 'row' }, element('td', { colspan: '11', role: 'cell' }, list));
}

function showRows(shown, chosen, onlyVerdicts) {
  const parts = [];
  for (const row of shown) {
    parts.push(tableRow(row, row === chosen));
    if (row === chosen) parts.push(details(row));
  }
  if (!shown.length) parts.push(element('tr', { role: 'row' }, element('td', { colspan: '11', role: 'cell' }, 'No candidate matches.')));
  document.getElementById('rows').replaceChildren(...parts);
  // Where nothing has a speed, the columns on it go.
  document.getElementById('table').classList.toggle('verdicts', onlyVerdicts);
}
