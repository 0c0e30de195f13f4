// The leaderboard as `kgrade leaderboard --json` writes it, and its candidates as rows in the page's own order.
const data = JSON.parse(document.getElementById('data').textContent);
const classes = ['exact', 'fp32', 'tf32', 'bf16', 'none'];
const dtypes = ['float32', 'float16', 'bfloat16'];
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const scoreOf = (result, against) => result.scores.find((score) => score.against === against);

const rows = data.boards.flatMap((board) => board.rows.map((entry) => makeRow(board, entry)));
// What has no speed follows what has one, in the class that was asked for if it was not accepted.
for (const entry of data.unmeasured) rows.push(makeRow(entry, { ...entry, scores: [] }));
rows.sort((a, b) => compare(a.slug, b.slug) || dtypes.indexOf(a.dtype) - dtypes.indexOf(b.dtype) ||
    compare(a.device, b.device) || classes.indexOf(a.precision) - classes.indexOf(b.precision));

// `board` says on what the candidate was measured. A number of 0 is not known.
function makeRow(board, entry) {
  const cases = entry.cases || [];
  const sum = (valueOf) => cases.reduce((total, c) => total + valueOf(c), 0);
  const score = entry.rank ? scoreOf(entry, board.against) : entry.scores.at(-1);
  const reference = scoreOf(entry, 'reference');
  const [ms, bytes] = [sum((c) => c.median_ms), sum((c) => c.bytes)];
  const flops = cases.every((c) => c.flops !== null) ? sum((c) => c.flops) : 0;
  return {
    ...entry,
    slug: board.problem,
    problem: board.dtype === 'float32' ? board.problem : `${board.problem}, ${board.dtype}`,
    title: board.title,
    dtype: board.dtype,
    device: board.device,
    precision: entry.verdict === 'accepted' ? entry.precision : board.required_precision,
    name: entry.candidate.slice(entry.candidate.lastIndexOf('/') + 1),
    message: clipped(entry.unranked_because || entry.message, 400),
    score,
    speed: score ? score.speedup : 0,
    interval: score ? score.interval : null,
    against: score && score.against === 'baseline' ? board.baselines.join(', ') || 'baseline' : 'reference',
    reference: reference ? reference.speedup : 0,
    ms,
    share: Math.exp(sum((c) => Math.log(c.roofline_share || 0)) / cases.length) || 0,
    intensity: bytes ? flops / bytes : 0,
    rate: ms ? flops / ms * 1e3 : 0,
  };
}

// Of an earlier result, by what counts for the row.
function earlierSpeed(row, result) {
  const score = row.score && result.precision === row.precision && scoreOf(result, row.score.against);
  return score ? score.speedup : 0;
}

function clipped(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

// What people read.
const ratioText = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 1 ? x.toFixed(2) : x.toFixed(3)) + '\u00d7';
const threeDigits = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);
const timeText = (ms) => (ms < 1 ? threeDigits(ms * 1000) + ' \u00b5s' : ms < 1000 ? threeDigits(ms) + ' ms' : threeDigits(ms / 1000) + ' s');
const percentText = (x) => (100 * x).toFixed(1) + ' %';
const boundText = (x) => x.toFixed(x >= 100 ? 1 : x >= 10 ? 2 : 3);
const intervalText = (interval) => (interval ? `${boundText(interval.low)}\u2013${boundText(interval.high)}` : '');
const wholeText = (n) => n.toLocaleString('en-GB');

// Text that a search looks through, made when the first search asks.
function searchedText(row) {
  row.searched ??= [row.candidate, row.problem, row.dtype, row.title, row.device, row.precision, row.sha256.slice(0, 12)].join(' ').toLowerCase();
  return row.searched;
}

// The rows that a filter lets through, in the page's own order.
function filtered(filter) {
  const terms = filter.q.toLowerCase().split(/\s+/).filter((term) => term);
  return rows.filter((row) => ['problem', 'device', 'precision'].every((key) => filter[key] === '' || row[key] === filter[key]) &&
      (filter.verdict === 'ranked' ? row.rank : filter.verdict === '' || row.verdict === filter.verdict) &&
      terms.every((term) => searchedText(row).includes(term)));
}

// Of each column that the table can be sorted by: its value in a row, and which end comes first.
const keys = {
  rank: { of: (row) => row.rank, first: 1 },
  candidate: { of: (row) => row.name, first: 1 },
  problem: { of: (row) => `${row.slug},${row.dtype}`, first: 1 },
  gpu: { of: (row) => row.device, first: 1 },
  class: { of: (row) => classes.indexOf(row.precision) + 1, first: 1 },
  speedup: { of: (row) => row.speed, first: -1 },
  reference: { of: (row) => row.reference, first: -1 },
  time: { of: (row) => row.ms, first: 1 },
  roofline: { of: (row) => row.share, first: -1 },
  verdict: { of: (row) => row.verdict, first: 1 },
  measured: { of: (row) => row.measured_at, first: -1 },
};

// Stable: what is equal keeps the page's own order. What is not known goes last.
function sorted(found, column, direction) {
  if (!keys[column]) return found;
  const valueOf = keys[column].of;
  return found.slice().sort((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return x && y ? direction * compare(x, y) : !x - !y;
  });
}
