// The table of all results. Texts come from candidates' authors: they are set as text, never as markup.
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
  const sizes = rows.filter((row) => row.rank).map((row) => Math.abs(Math.log(row.speed))).sort((a, b) => a - b);
  const reach = Math.max(Math.log(1.5), sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0) * 1.08;
  return (x) => 32 + 31 * Math.max(-1, Math.min(1, Math.log(x) / reach));
})();

function bar(row) {
  const picture = svgElement('svg', { class: 'bar', viewBox: '0 0 64 14', 'aria-hidden': 'true' });
  if (!row.rank) return picture;
  const [x, low, high] = [row.speed, row.interval.low, row.interval.high].map(barScale);
  picture.append(
      svgElement('rect', { x: Math.min(32, x), y: 3, width: Math.max(1, Math.abs(x - 32)), height: 8, rx: 1, ...(row.speed < 1 ? { class: 'slow' } : {}) }),
      svgElement('line', { class: 'axis', x1: 32, x2: 32, y1: 0, y2: 14 }),
      svgElement('line', { class: 'whisker', x1: low, x2: high, y1: 7, y2: 7 }));
  return picture;
}

function speedTexts(speed, interval) {
  return [element('span', { class: 'value' }, ratioText(speed)), ' ', element('span', { class: 'interval' }, intervalText(interval))];
}

// How a row stands to a library: only that is worth a colour, on the speedup that it is of.
const colourOf = (row) => (row.against === 'reference' ? '' : standing(row));
function standing(row) {
  if (!row.library || !row.library.interval) return '';
  return row.beats ? 'good' : row.library.interval.high < 1 ? 'behind' : '';
}

// The score that the row is not shown by.
function otherScore(row) {
  if (!row.library) return 'no library';
  return row.against === 'reference' ? `${ratioText(row.library.speed)} ${row.library.against}` : `${ratioText(row.reference)} reference`;
}

function speedCell(row) {
  const cell = element('td', { class: `number speed ${colourOf(row)}`, role: 'cell' });
  if (!row.speed) return cell;
  cell.append(...speedTexts(row.speed, row.interval), bar(row), element('span', { class: 'against' }, `vs ${row.against}, `,
      element('span', { class: colourOf(row) ? '' : standing(row) }, otherScore(row))));
  return cell;
}

function otherCell(label, text, kind = '') {
  return element('td', { class: `other ${kind}${text ? '' : ' empty'}`, role: 'cell', ...(label ? { 'data-label': label } : {}) }, text);
}

const kindOf = (row) => (row.verdict === 'accepted' ? 'accepted' : row.verdict === 'unsupported' ? 'neutral' : 'refused');

// A line may end after an underscore.
const breakable = (text) => text.split(/(?<=_)/).flatMap((part) => [part, element('wbr')]);

function resultCell(row, columns) {
  const why = row.rank || !row.why ? '' : `${row.verdict === 'accepted' ? 'no rank: ' : ''}${row.why}`;
  return element('td', { class: 'result', role: 'cell', colspan: columns },
      element('span', { class: `verdict ${kindOf(row)}` }, ...breakable(row.verdict)),
      ...(why ? [' ', element('span', { class: 'why', title: why }, why)] : []));
}

function tableRow(row, chosen, onlyVerdicts) {
  const link = element('a', { href: `#r-${row.id}`, title: row.candidate, 'aria-expanded': String(chosen), 'data-row': row.id }, row.name);
  const rank = row.rank ? `${row.rank}${row.tied ? '=' : ''}` : '\u2013';
  const measured = row.speed || onlyVerdicts;
  const numbers = [speedCell(row), otherCell('time', row.ms ? timeText(row.ms) : '', 'number'),
    otherCell('roofline', row.share ? percentText(row.share) : '', 'number')];
  return element('tr', { id: `r-${row.id}`, role: 'row', ...(chosen ? { class: 'chosen' } : {}) },
      element('td', { class: 'number rank', role: 'cell', ...(row.rank ? {} : { title: 'no rank' }) }, rank),
      element('th', { class: 'name', scope: 'row', role: 'rowheader' }, link),
      element('td', { class: 'problem', role: 'cell' }, row.problem),
      element('td', { class: 'gpu', role: 'cell' }, gpuText(row.device), element('span', {}, row.precision)),
      ...(onlyVerdicts || !measured ? [] : numbers),
      resultCell(row, measured ? 1 : 4),
      otherCell('', dayText(row.measured), 'number'));
}

function historyText(row) {
  // A version ends where the next result is of another one.
  const text = ({ time, speed, verdict, changed }) =>
    `${dayText(time)} ${speed ? ratioText(speed) : verdict}${changed ? ' (then changed)' : ''}`;
  return row.earlier.map(text).slice(-12).join(', ');
}

function libraryText(row) {
  if (!row.speed) return '';
  if (!row.library) return 'no: no baseline was measured beside it';
  const { against, speed, interval } = row.library;
  return `${ratioText(speed)} ${against}${interval ? ` (${intervalText(interval)})` : ''}`;
}

function details(row, columns) {
  const list = element('dl');
  const add = (name, ...texts) => { if (texts[0]) list.append(element('dt', {}, name), element('dd', {}, ...texts)); };
  add(row.verdict === 'accepted' ? 'No rank' : 'Why', row.rank ? '' : row.why);
  if (row.rank) {
    add('Rank', row.rank_worst > row.rank ? `${row.rank} to ${row.rank_worst}, for all that the intervals say` : `${row.rank}`);
    add('95 % interval', `${intervalText(row.interval)} vs ${row.against}`);
  }
  add('Library', libraryText(row));
  add('File', ...(row.linked ? [element('a', { href: fileAddress(row.candidate) }, row.candidate)] : [row.candidate]),
      ` (SHA-256 ${row.sha256}\u2026)`);
  const { title, statement } = row.board.of;
  add('Problem', statement ? element('a', { href: fileAddress(statement) }, title || row.problem) : title);
  if (row.cases.length > 1) add('Cases', row.cases.map((c) => `${c.name} ${timeText(c.median_ms)}`).join(', '));
  add('Measured', `${momentText(row.measured)}, kgrade ${row.tool_version}, effort ${row.effort}`);
  add('Record', row.file);
  add('Before', historyText(row));
  add('This row', element('a', { href: `#r-${row.id}` }, `#r-${row.id}`));
  return element('tr', { class: 'details', role: 'row' }, element('td', { colspan: columns, role: 'cell' }, list));
}

function showRows(shown, chosen, onlyVerdicts) {
  const columns = onlyVerdicts ? 6 : 9;
  const parts = [];
  for (const row of shown) {
    parts.push(tableRow(row, row === chosen, onlyVerdicts));
    if (row === chosen) parts.push(details(row, columns));
  }
  if (!shown.length) parts.push(element('tr', { role: 'row' }, element('td', { colspan: columns, role: 'cell' }, 'Nothing matches.')));
  document.getElementById('rows').replaceChildren(...parts);
  // Where nothing has a speed, the columns on it go.
  document.getElementById('table').classList.toggle('verdicts', onlyVerdicts);
}
