// The leaderboard, as the page carries it: texts by number, rows in columns; a number of 0 is not known.
const data = JSON.parse(document.getElementById('data').textContent);
const rows = data.rows;
const count = rows.problem.length;
const classes = ['exact', 'fp32', 'tf32', 'bf16', 'none'];
const accepted = data.verdicts.indexOf('accepted');
const times = data.times.map((text) => Date.parse(text));

const idOf = (row) => rows.id.slice(12 * row, 12 * row + 12);
const hashOf = (row) => rows.sha.slice(12 * row, 12 * row + 12);
const problemOf = (row) => problemText(rows.problem[row]);
const nameOf = (row) => data.names[rows.name[row]];
const pathOf = (row) => (data.folders[rows.folder[row]] ? data.folders[rows.folder[row]] + '/' : '') + nameOf(row);

function problemText(number) {
  const [slug, dtype] = data.problems[number];
  return dtype === 'float32' ? slug : `${slug}, ${dtype}`;
}

function rowOfId(id) {
  for (let at = rows.id.indexOf(id); at >= 0; at = rows.id.indexOf(id, at + 1)) {
    if (at % 12 === 0) return at / 12;
  }
  return -1;
}

// What people read.
const ratioText = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 1 ? x.toFixed(2) : x.toFixed(3)) + '\u00d7';
const threeDigits = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);
const timeText = (ms) => (ms < 1 ? threeDigits(ms * 1000) + ' \u00b5s' : ms < 1000 ? threeDigits(ms) + ' ms' : threeDigits(ms / 1000) + ' s');
const percentText = (x) => (100 * x).toFixed(1) + ' %';
const boundText = (x) => x.toFixed(x >= 100 ? 1 : x >= 10 ? 2 : 3);
const intervalText = (low, high) => (low > 0 ? `${boundText(low)}\u2013${boundText(high)}` : '');
const wholeText = (n) => n.toLocaleString('en-GB');
const rankText = (row) => (rows.rank[row] ? rows.rank[row] + (rows.tied[row] ? '=' : '') : '\u2013');

// Text that a search looks through, made when the first search asks.
let searched = null;
function searchedText(row) {
  if (!searched) {
    searched = new Array(count);
    const problems = data.problems.map((problem) => problem.join(' ').toLowerCase());
    const lower = (texts) => texts.map((text) => text.toLowerCase());
    const [names, folders, devices] = [lower(data.names), lower(data.folders), lower(data.devices)];
    for (let i = 0; i < count; ++i) {
      searched[i] = `${folders[rows.folder[i]]}/${names[rows.name[i]]} ${problems[rows.problem[i]]} ` +
          `${devices[rows.device[i]]} ${classes[rows.precision[i]]} ${hashOf(i)}`;
    }
  }
  return searched[row];
}

// Numbers of the rows that a filter lets through, in the page's own order.
function filtered(filter) {
  const terms = filter.q.toLowerCase().split(/\s+/).filter((term) => term);
  const found = [];
  for (let row = 0; row < count; ++row) {
    if (filter.problem !== '' && rows.problem[row] !== +filter.problem) continue;
    if (filter.device !== '' && rows.device[row] !== +filter.device) continue;
    if (filter.precision !== '' && rows.precision[row] !== +filter.precision) continue;
    if (filter.verdict === 'ranked' ? !rows.rank[row] : filter.verdict !== '' && rows.verdict[row] !== +filter.verdict) continue;
    if (terms.length && !terms.every((term) => searchedText(row).includes(term))) continue;
    found.push(row);
  }
  return found;
}

// Positions of texts in alphabetical order, so that rows are sorted by numbers.
function positions(texts) {
  const order = texts.map((_, i) => i).sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0));
  const position = new Array(texts.length);
  order.forEach((text, i) => { position[text] = i + 1; });
  return position;
}

// Of each column that the table can be sorted by: a number for each row (0 goes last), and which end comes first.
const keys = {
  rank: { of: () => (row) => rows.rank[row], first: 1 },
  candidate: { of: () => { const p = positions(data.names); return (row) => p[rows.name[row]]; }, first: 1 },
  problem: { of: () => { const p = positions(data.problems.map(String)); return (row) => p[rows.problem[row]]; }, first: 1 },
  gpu: { of: () => { const p = positions(data.devices); return (row) => p[rows.device[row]]; }, first: 1 },
  class: { of: () => (row) => rows.precision[row] + 1, first: 1 },
  speedup: { of: () => (row) => rows.speed[row], first: -1 },
  reference: { of: () => (row) => rows.reference[row], first: -1 },
  time: { of: () => (row) => rows.ms[row], first: 1 },
  roofline: { of: () => (row) => rows.share[row], first: -1 },
  verdict: { of: () => { const p = positions(data.verdicts); return (row) => p[rows.verdict[row]]; }, first: 1 },
  measured: { of: () => (row) => times[rows.time[row]], first: -1 },
};

// Stable: what is equal keeps the page's own order.
function sorted(found, column, direction) {
  if (!keys[column]) return found;
  const key = keys[column].of();
  const values = new Float64Array(count);
  for (const row of found) values[row] = key(row) || 0;
  return found.slice().sort((a, b) => {
    if (values[a] === 0 || values[b] === 0) return (values[a] === 0) - (values[b] === 0);
    return direction * (values[a] - values[b]);
  });
}
