// The leaderboard's JSON (page.h), unpacked: problems, boards and rows in the page's own order; what a search and the
// filters let through; and numbers as people read them.
const data = unpacked(JSON.parse(document.getElementById('data').textContent));
const types = ['float32', 'float16', 'bfloat16'];
const classes = ['exact', 'fp32', 'tf32', 'bf16', 'none'];
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const problems = new Map(data.problems.map((problem) => [problem.slug, { ...problem, area: areaOf(problem) }]));
const boards = allBoards();
const rows = boards.flatMap((board) => board.rows);

// The family, or else the first tag, if at least three problems have it.
function areaOf(problem) {
  const names = [['family', problem.family], ['tag', problem.tags[0]]];
  const shares = ([kind, name]) => name && data.problems.filter((other) => (kind === 'family' ? other.family : other.tags[0]) === name).length > 2;
  return (names.find(shares) || ['', 'other problems'])[1];
}

function unpacked({ shapes, value }) {
  const texts = [];
  const unpack = (packed) => {
    if (typeof packed === 'string') texts.push(packed);
    if (typeof packed === 'number') return packed < 0 ? texts[-1 - packed] : packed;
    if (!Array.isArray(packed)) return packed;
    const names = shapes[packed[0] - 1];
    if (!names) return packed.slice(1).map(unpack);
    const object = {};
    for (let i = 0; i < names.length; ++i) object[names[i]] = unpack(packed[i + 1]);
    return object;
  };
  return unpack(value);
}

// What has no speed is on the board of the class that was asked for.
function allBoards() {
  const all = new Map();
  const add = (contest, precision, added) => {
    const { problem, dtype, device, modules = false } = contest;
    const key = JSON.stringify([problem, dtype, device, precision, modules]);
    if (!all.has(key)) all.set(key, { problem, dtype, device, precision, modules, against: null, rows: [] });
    Object.assign(all.get(key), contest.rows ? { against: contest.against } : {}).rows.push(...added);
  };
  for (const board of data.boards) add(board, board.precision, board.rows);
  for (const row of data.unmeasured) add(row, row.verdict === 'accepted' ? row.precision : row.required_precision, [row]);
  const order = [(board) => board.problem, (board) => types.indexOf(board.dtype), (board) => board.device,
    (board) => classes.indexOf(board.precision), (board) => Number(board.modules)];
  return [...all.values()].sort((a, b) => order.map((of) => compare(of(a), of(b))).find((sign) => sign) || 0).map(makeBoard);
}

function makeBoard(board) {
  const name = board.dtype === 'float32' ? board.problem : `${board.problem}, ${board.dtype}`;
  const made = { ...board, name, of: problems.get(board.problem) };
  made.rows = board.rows.map((row) => makeRow(made, row));
  made.ranked = made.rows.filter((row) => row.rank);
  return made;
}

// PyTorch as the reference is a library, which the page says. Baselines are named, each once.
function nameOf(against, row) {
  if (against === 'reference') return row.pytorch ? 'PyTorch' : against;
  const names = (row.cases || []).filter((c) => c.comparisons.length > 1).map((c) => c.comparisons.at(-1).against);
  return [...new Set(names)].sort().join(', ') || against;
}

// Why a row has no rank, or what was wrong. A compiler's message begins with the file, which stands beside it.
function whyOf(row, board, name) {
  if (row.unranked_because) return row.unranked_because;
  if (row.rank || row.verdict !== 'accepted') return row.message.replaceAll(row.candidate, name);
  const { times_are_speed: speed } = data.devices.find((device) => device.name === board.device);
  return speed ? 'no speed was measured' : 'the emulated device measures no speed';
}

function secondsOf(moment) {
  return Date.parse(moment) / 1e3;
}

// A version ends where the next result is of another one.
function historyOf(row) {
  return row.earlier.map(({ measured_at: moment, speedup: speed, verdict }, i) =>
    ({ time: secondsOf(moment), speed, verdict, changed: (row.earlier[i + 1] || row).new_version }));
}

function sumOf(cases, key) {
  return cases.reduce((sum, c) => sum + c[key], 0);
}

// The geometric mean, if all are known.
function meanOf(shares) {
  return shares.every((share) => share > 0) ? Math.exp(shares.reduce((sum, share) => sum + Math.log(share), 0) / shares.length) : 0;
}

// A number of 0 is not known.
function makeRow(board, row) {
  const scores = row.scores.map(({ against, speedup, interval }) => ({ against: nameOf(against, row), speed: speedup, interval }));
  const last = scores.at(-1);
  const score = row.rank && board.against === 'reference' ? scores[0] : last;
  const name = row.candidate.slice(row.candidate.lastIndexOf('/') + 1);
  const compared = last && last.against !== 'reference' ? last : null;
  const cases = row.cases || [];
  const [ms, bytes] = [sumOf(cases, 'median_ms'), sumOf(cases, 'bytes')];
  const flops = cases.every((c) => c.flops !== null) ? sumOf(cases, 'flops') : 0;
  return {
    ...row,
    board,
    why: whyOf(row, board, name),
    precision: row.verdict === 'accepted' ? row.precision : board.precision,
    problem: board.name,
    device: board.device,
    measured: secondsOf(row.measured_at),
    name,
    cases,
    speed: score ? score.speed : 0,
    interval: score ? score.interval : null,
    against: score ? score.against : '',
    reference: row.scores.length && row.scores[0].against === 'reference' ? scores[0].speed : 0,
    library: compared,
    beats: Boolean(compared && compared.interval && compared.interval.low > 1),
    ms,
    share: cases.length ? meanOf(cases.map((c) => c.roofline_share)) : 0,
    intensity: bytes ? flops / bytes : 0,
    rate: ms ? flops / ms * 1e3 : 0,
    earlier: historyOf(row),
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
