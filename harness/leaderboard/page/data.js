// The page's data (page_data.h), unpacked: problems, boards and rows in the page's own order; what a search and the
// filters let through; and numbers as people read them.
const data = JSON.parse(document.getElementById('data').textContent);
const classes = ['exact', 'fp32', 'tf32', 'bf16', 'none'];
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const problems = new Map(data.problems.map((problem) => [problem.slug, { ...problem, area: areaOf(problem) }]));
const boards = data.boards.map(makeBoard);
const rows = boards.flatMap((board) => board.rows);

// The family, or else the first tag, if at least three problems have it.
function areaOf(problem) {
  const names = [['family', problem.family], ['tag', problem.tags[0]]];
  const shares = ([kind, name]) => name && data.problems.filter((other) => (kind === 'family' ? other.family : other.tags[0]) === name).length > 2;
  return (names.find(shares) || ['', 'other problems'])[1];
}

function makeBoard(packed) {
  const board = { ...packed, of: problems.get(packed.problem) };
  board.name = board.dtype === 'float32' ? board.problem : `${board.problem}, ${board.dtype}`;
  board.rows = packed.rows.map((values) => makeRow(board, Object.fromEntries(data.columns.map((name, i) => [name, values[i]]))));
  board.ranked = board.rows.filter((row) => row.rank);
  return board;
}

// [place of the name, speedup, low, high] as an object.
function scoreOf(packed) {
  const [name, speed, low, high] = packed;
  return { against: data.texts[name], speed, interval: low ? { low, high } : null };
}

// A number of 0 is not known.
function makeRow(board, row) {
  const text = (place) => data.texts[place];
  const scores = row.scores.map(scoreOf);
  const last = scores.at(-1);
  const score = row.rank && board.against === 'reference' ? scores[0] : last;
  const verdict = text(row.verdict);
  const name = row.candidate.slice(row.candidate.lastIndexOf('/') + 1);
  const compared = last && last.against !== 'reference' ? last : null;
  return {
    ...row,
    board,
    verdict,
    solution: text(row.solution),
    // A compiler's message begins with the file, which stands beside it.
    why: text(row.why).replaceAll(row.candidate, name),
    precision: verdict === 'accepted' ? text(row.precision) : board.precision,
    version: text(row.version),
    effort: text(row.effort),
    file: text(row.file),
    problem: board.name,
    device: board.device,
    name,
    speed: score ? score.speed : 0,
    interval: score ? score.interval : null,
    against: score ? score.against : '',
    reference: scores.length ? scores[0].speed : 0,
    library: compared,
    beats: Boolean(compared && compared.interval && compared.interval.low > 1),
    intensity: row.bytes ? row.flops / row.bytes : 0,
    rate: row.ms ? row.flops / row.ms * 1e3 : 0,
    earlier: row.earlier.map(([time, speed, of, changed]) => ({ time, speed, verdict: text(of), changed })),
  };
}

// What a row can be asked for, apart from where and on what it ran.
const kinds = {
  '': { label: 'All results', has: () => true },
  ranked: { label: 'With a rank', has: (row) => row.rank > 0 },
  beats: { label: 'Faster than a library', has: (row) => row.beats },
  unranked: { label: 'Accepted, no rank', has: (row) => row.verdict === 'accepted' && !row.rank },
  failed: { label: 'Failed', has: (row) => row.verdict !== 'accepted' && row.verdict !== 'unsupported' },
  unsupported: { label: 'Need a GPU', has: (row) => row.verdict === 'unsupported' },
};

function clipped(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

const ratioText = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 1 ? x.toFixed(2) : x.toFixed(3)) + '\u00d7';
const threeDigits = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);
const timeText = (ms) => (ms < 1 ? threeDigits(ms * 1000) + ' \u00b5s' : ms < 1000 ? threeDigits(ms) + ' ms' : threeDigits(ms / 1000) + ' s');
const percentText = (x) => (100 * x).toFixed(1) + ' %';
const boundText = (x) => x.toFixed(x >= 100 ? 1 : x >= 10 ? 2 : 3);
const intervalText = (interval) => (interval ? `${boundText(interval.low)}\u2013${boundText(interval.high)}` : '');
const wholeText = (n) => n.toLocaleString('en-GB');
const countText = (n, one, more = `${one}s`) => `${wholeText(n)} ${n === 1 ? one : more}`;
const momentText = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 19).replace('T', ' ') + ' UTC';
const dayText = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 10);
// "NVIDIA H100 80GB HBM3" without what all share.
const gpuText = (device) => device.replace(/^NVIDIA /, '');
const againstText = (against) => (against === 'reference' ? 'the reference' : against === 'baseline' ? 'the strongest baseline' : against);

// A file's address; nothing of a path can leave its place in it.
const fileAddress = (path) => `${data.links}/${path.split('/').map(encodeURIComponent).join('/')}`;

// Text that a search looks through, made when the first search asks.
function problemText(problem) {
  problem.searched ??= [problem.slug, problem.title, problem.family, problem.author, ...problem.tags].join(' ').toLowerCase();
  return problem.searched;
}

function searchedText(row) {
  row.searched ??= [row.candidate, row.solution, row.problem, row.device, row.precision, row.verdict, row.sha256].join(' ').toLowerCase() +
      ` ${problemText(row.board.of)}`;
  return row.searched;
}

const termsOf = (text) => text.toLowerCase().split(/\s+/).filter((term) => term);

// The rows that a filter lets through, in the page's own order. `kind` false: of every kind.
function filtered(filter, kind = filter.show) {
  const terms = termsOf(filter.q);
  const has = kinds[kind || ''].has;
  return rows.filter((row) => ['problem', 'device', 'precision'].every((key) => filter[key] === '' || row[key] === filter[key]) &&
      has(row) && terms.every((term) => searchedText(row).includes(term)));
}

// Of each column that the table can be sorted by: its value in a row, and which end comes first.
const keys = {
  rank: { of: (row) => row.rank, first: 1 },
  candidate: { of: (row) => row.name, first: 1 },
  problem: { of: (row) => row.problem, first: 1 },
  gpu: { of: (row) => `${row.device} ${classes.indexOf(row.precision)}`, first: 1 },
  speedup: { of: (row) => row.speed, first: -1 },
  time: { of: (row) => row.ms, first: 1 },
  roofline: { of: (row) => row.share, first: -1 },
  result: { of: (row) => row.verdict, first: 1 },
  measured: { of: (row) => row.measured, first: -1 },
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
