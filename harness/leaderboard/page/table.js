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
  const sizes = rows.filter((row) => row.rank).map((row) => Math.abs(Math.log(row.speed))).sort((a, b) => a - b);
  const reach = Math.max(Math.log(1.5), sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0) * 1.08;
  return (x) => 46 + 44 * Math.max(-1, Math.min(1, Math.log(x) / reach));
})();

function bar(row) {
  const picture = svgElement('svg', { class: 'bar', viewBox: '0 0 92 14', 'aria-hidden': 'true' });
  if (!row.rank) return picture;
  const [x, low, high] = [row.speed, row.interval.low, row.interval.high].map(barScale);
  const width = Math.max(1, Math.abs(x - 46));
  picture.append(
      svgElement('rect', { x: Math.min(46, x), y: 3, width, height: 8, rx: 1, ...(row.speed < 1 ? { class: 'slow' } : {}) }),
      svgElement('line', { class: 'axis', x1: 46, x2: 46, y1: 0, y2: 14 }),
      svgElement('line', { class: 'whisker', x1: low, x2: high, y1: 7, y2: 7 }));
  return picture;
}

function speedTexts(speed, interval) {
  return [element('span', { class: 'value' }, ratioText(speed)), ' ', element('span', { class: 'interval' }, intervalText(interval))];
}

function speedCell(row) {
  const cell = element('td', { class: 'number speed', role: 'cell' });
  if (row.speed) cell.append(...speedTexts(row.speed, row.interval), bar(row), element('span', { class: 'against' }, `vs ${row.against}`));
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
  const link = element('a', { href: chosen ? '#' : `#r-${row.id}`, title: row.candidate, 'aria-expanded': String(chosen) }, row.name);
  if (chosen) link.dataset.close = row.id;
  const ok = row.verdict === 'accepted';
  const rank = row.rank ? `${row.rank}${row.tied ? '=' : ''}` : '\u2013';
  return element('tr', { id: `r-${row.id}`, role: 'row', ...(chosen ? { class: 'chosen' } : {}) },
      element('td', { class: 'number rank', role: 'cell' }, rank),
      element('th', { class: 'name', scope: 'row', role: 'rowheader' }, link, element('span', { class: 'hash' }, row.sha256.slice(0, 7))),
      element('td', { class: 'problem', role: 'cell' }, row.problem),
      otherCell('', row.device, 'device '),
      otherCell('', row.precision, ok ? '' : 'dim '),
      speedCell(row),
      otherCell('vs reference', row.reference ? ratioText(row.reference) : '', 'number'),
      otherCell('total median', row.ms ? timeText(row.ms) : '', 'number'),
      otherCell('roofline', row.share ? percentText(row.share) : '', 'number'),
      verdictCell(row.verdict, ok),
      otherCell('measured', row.measured_at.slice(0, 10), 'number'));
}

function historyText(row) {
  // A version ends where the next result is of another one.
  const text = (result, i) => {
    const speed = earlierSpeed(row, result);
    const ends = (row.earlier[i + 1] || row).new_version;
    return `${result.measured_at.slice(0, 10)} ${speed ? ratioText(speed) : result.verdict}` +
        (ends ? ` (version ${result.sha256.slice(0, 7)}, then changed)` : '');
  };
  return row.earlier.map(text).slice(-12).join(', ');
}

function details(row) {
  const list = element('dl');
  const add = (name, text) => { if (text) list.append(element('dt', {}, name), element('dd', {}, text)); };
  add('File', row.candidate);
  add('SHA-256', `${row.sha256.slice(0, 12)}\u2026`);
  add('Problem', row.title);
  add(row.verdict === 'accepted' ? 'No rank' : 'Why', row.message);
  if (row.rank) {
    add('Rank', row.rank_worst > row.rank ? `${row.rank} to ${row.rank_worst}, for all that the intervals say` : `${row.rank}`);
    add('95 % interval', `${intervalText(row.interval)} vs ${row.against}`);
  }
  add('Measured', `${row.measured_at.replace('T', ' ').replace('Z', ' UTC')}, kgrade ${row.tool_version}, effort ${row.effort}`);
  add('Record', row.file);
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
