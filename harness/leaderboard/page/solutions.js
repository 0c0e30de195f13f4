// Tables of solutions over all problems and of runs of samples; filters do not change them.
// Of more tables all but the first are closed.
const mostOpen = 4;
const mostSolutions = 12;

// `heads`: [content, whether numbers stand below it]
function smallTable(heads, lines) {
  const kind = (at) => (heads[at][1] ? { class: 'number' } : {});
  const head = heads.map(([content], at) => element('th', { scope: 'col', ...kind(at) }, content));
  const body = lines.map(([first, ...others]) => element('tr', {}, element('th', { scope: 'row' }, first),
      ...others.map((content, at) => element('td', kind(at + 1), ...[content].flat()))));
  return element('div', { class: 'suites' }, element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)));
}

function suiteTable(suite, open) {
  const limits = Object.keys(suite.rows[0].fast_p).sort((a, b) => a - b);
  const heads = [['Solution'], ['Accepted', true], ['Geometric mean', true],
    ...limits.map((limit) => [element('span', {}, 'fast', element('sub', {}, limit)), true])];
  // Of problems that are all degenerate, none is left.
  const hasOthers = Boolean(suite.rows[0].fast_p_without_degenerate);
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const fast = (row, limit) => percent(row.fast_p[limit]) + (hasOthers ? ` (${percent(row.fast_p_without_degenerate[limit])})` : '');
  const shown = suite.rows.slice(0, mostSolutions);
  const lines = shown.map((row) => [row.solution, `${row.accepted} of ${suite.problems}`,
    speedTexts(row.geometric_mean, row.interval), ...limits.map((limit) => fast(row, limit))]);
  const where = [suite.device, ...(suite.dtype === 'float32' ? [] : [suite.dtype]), suite.precision, ...(suite.modules ? ['modules'] : [])].join(', ');
  const more = shown.length < suite.rows.length ? `; the first ${shown.length} of ${suite.rows.length}` : '';
  const without = hasOthers ? `; in brackets without ${suite.degenerate.join(', ')}, whose answers to other inputs are nearly the same` : '';
  const note = `against ${againstText(suite.against)}${suite.cache === 'warm' ? ', warm cache' : ''}${more}${without}`;
  return element('details', open ? { open: '' } : {}, element('summary', {}, `${where} `, element('span', {}, note)), smallTable(heads, lines));
}

function runTable(runs) {
  const chances = (run) => Object.entries(run.pass_at_k).map(([k, share]) => `pass@${k} ${percentText(share)}`).join(', ');
  const heads = [['Run'], ['Level', true], ['GPU'], ['Problems', true], ['Samples', true], ['Accepted', true], ['pass@k']];
  return smallTable(heads, runs.map((run) => [run.run, run.level ?? '', run.device, run.problems, run.samples, run.accepted, chances(run)]));
}

// Where a baseline is the only one, the strongest is that one.
function isRepeated(suite) {
  const where = ({ device, dtype, precision, modules, cache, rows: some }) => JSON.stringify([device, dtype, precision, modules, cache,
    some.map(({ solution, accepted, geometric_mean: mean }) => [solution, accepted, mean])]);
  return !['reference', 'baseline'].includes(suite.against) &&
      data.suites.some((other) => other.against === 'baseline' && where(other) === where(suite));
}

function fillSolutions() {
  const suites = data.suites.filter((suite) => !isRepeated(suite));
  const tables = suites.map((suite, i) => suiteTable(suite, i === 0 || suites.length <= mostOpen));
  document.getElementById('suites').append(...(data.runs ? [runTable(data.runs)] : []),
      ...(tables.length ? tables : [element('p', { class: 'about' }, 'No result here has a speed, so solutions have none over all problems.')]));
}
