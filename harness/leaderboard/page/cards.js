// A card for each problem, by family: who leads on each of its boards, by how much, and against what. Cards of a
// filter for what has no rank say why instead.
const mostCards = 240;
const mostReasons = 2;
// Fewer problems stand together.
const fewestByArea = 10;
const sparkWidth = 84;

function marginText(board) {
  const [first, second] = board.ranked;
  if (!second) return board.rows.length === 1 ? '' : 'the only one with a rank';
  if (first.tied) {
    const others = board.ranked.filter((row) => row.rank === 1 && row !== first);
    return others.length === 1 ? `tied with ${others[0].solution}` : `tied with ${others.length} others`;
  }
  const ratio = first.speed / second.speed;
  const lead = ratio >= 1.995 ? `${ratioText(ratio)} as fast as` : `${+(100 * (ratio - 1)).toPrecision(2)} % faster than`;
  return `${lead} ${second.solution}`;
}

// The best speedup so far, over the times of all results of a board.
function spark(board) {
  const points = board.ranked.flatMap((row) => [...row.earlier, { time: row.measured, speed: row.speed }])
      .filter(({ speed }) => speed).sort((a, b) => a.time - b.time);
  if (points.length < 2 || points[0].time === points.at(-1).time) return [];
  const [first, last] = [points[0].time, points.at(-1).time];
  const [low, high] = [points[0].speed, Math.max(...points.map(({ speed }) => speed))];
  const x = (time) => (2 + (sparkWidth - 6) * (time - first) / (last - first)).toFixed(1);
  const y = (speed) => (high > low ? 18 - 14 * Math.log(speed / low) / Math.log(high / low) : 11).toFixed(1);
  let best = low;
  let path = `M${x(first)} ${y(best)}`;
  for (const { time, speed } of points) {
    if (speed <= best) continue;
    best = speed;
    path += `H${x(time)}V${y(best)}`;
  }
  const text = `The best of ${points.length} results from ${dayText(first)} to ${dayText(last)}: from ${ratioText(low)} to ${ratioText(best)}`;
  return [svgElement('svg', { class: 'spark', viewBox: `0 0 ${sparkWidth} 22`, width: sparkWidth, height: 22, role: 'img', 'aria-label': text },
      svgElement('title', {}, text), svgElement('path', { d: `${path}H${x(last)}` }),
      svgElement('circle', { cx: x(last), cy: y(best), r: 2.5 }))];
}

function entriesText(board) {
  const failed = board.rows.filter(kinds.failed.has).length;
  return countText(board.rows.length, 'entry', 'entries') + (failed ? `, ${failed} failed` : '');
}

const rowLink = (row) => element('a', { href: `#r-${row.id}`, class: 'who', title: row.candidate }, row.solution);

function reasonLines(found) {
  const lines = found.slice(0, mostReasons).map((row) => element('p', { class: 'reason' }, rowLink(row), ' ',
      element('span', { class: `verdict ${kindOf(row)}` }, ...breakable(row.verdict)), ' ',
      element('span', { class: 'why', title: row.why }, `${row.verdict === 'accepted' ? 'no rank: ' : ''}${row.why}`)));
  if (found.length > mostReasons) {
    const more = element('a', { href: '#', 'data-problem': found[0].problem }, `and ${found.length - mostReasons} more`);
    lines.push(element('p', { class: 'reason' }, more));
  }
  return lines;
}

function versusText(row) {
  if (!row.library) return 'vs reference, no library';
  if (row.against === 'reference') return `vs reference; ${otherScore(row)}`;
  return { good: 'faster than ', behind: 'slower than ', '': 'vs ' }[standing(row)] + row.against;
}

// What a board is of, above the speed what that is against.
function where(board, versus, kind) {
  const parts = [gpuText(board.device), board.dtype === 'float32' ? '' : board.dtype, board.precision, board.modules ? 'modules' : ''];
  return element('p', { class: 'where' }, element('span', {}, parts.filter((text) => text).join(' \u00b7 ')),
      element('span', { class: `versus ${kind}` }, versus));
}

// The leader, or without ranks the fastest.
function leadLines(board) {
  const row = board.ranked[0] || board.rows.reduce((best, other) => (other.speed > best.speed ? other : best));
  if (!row.speed) return [where(board, '', ''), ...reasonLines(board.rows)];
  return [
    where(board, versusText(row), standing(row)),
    element('p', { class: 'lead' }, rowLink(row),
        element('span', { class: `speed ${colourOf(row)}` }, ...speedTexts(row.speed, row.interval))),
    element('p', { class: 'facts' }, row.rank ? marginText(board) : `no rank: ${row.why}`, ...spark(board)),
    element('p', { class: 'meter' }, entriesText(board), ...(row.share ? [
      element('span', { class: 'track', 'aria-hidden': 'true' }, svgElement('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none' },
          svgElement('rect', { width: Math.min(100, 100 * row.share).toFixed(1), height: 6 }))),
      `${percentText(row.share)} of roofline`] : [])),
  ];
}

function boardLines(board, found, show) {
  const asksWhy = show === 'failed' || show === 'unsupported';
  return element('div', { class: 'board' }, ...(asksWhy ? [where(board, '', ''), ...reasonLines(found)] : leadLines(board)));
}

function cardOf(problem, parts, show) {
  const links = problem.statement ? [element('a', { href: fileAddress(problem.statement), class: 'statement' }, 'statement')] : [];
  const title = problem.title.toLowerCase() === problem.slug.replaceAll('-', ' ') ? '' : problem.title;
  return element('article', { class: 'card' },
      element('div', { class: 'top' },
          element('h4', {}, element('a', { href: '#', 'data-problem': parts[0].board.name, title: 'All results of this problem' }, problem.slug)), ...links),
      element('p', { class: 'title' }, title),
      ...parts.map(({ board, found }) => boardLines(board, found, show)));
}

// Where a search comes nearest to a problem's name, first.
function nearness(problem, query) {
  const name = query.trim().toLowerCase().replaceAll(' ', '-');
  return problem.slug === name ? 0 : problem.slug.startsWith(name) ? 1 : problem.slug.includes(name) ? 2 : 3;
}

// [area, [[problem, [{board, found}]]]], in the order of their names; what a search finds is one area without a name.
function cardsOf(found, query) {
  const byProblem = new Map();
  for (const row of found) {
    if (!byProblem.has(row.board.of)) byProblem.set(row.board.of, new Map());
    const parts = byProblem.get(row.board.of);
    if (!parts.has(row.board)) parts.set(row.board, []);
    parts.get(row.board).push(row);
  }
  const cards = [...byProblem].map(([problem, parts]) => [problem, [...parts].map(([board, some]) => ({ board, found: some }))]);
  if (query.trim() || cards.length < fewestByArea) {
    return cards.length ? [['', cards.sort(([a], [b]) => nearness(a, query) - nearness(b, query))]] : [];
  }
  const areas = new Map();
  for (const card of cards) {
    const [{ area }] = card;
    if (!areas.has(area)) areas.set(area, []);
    areas.get(area).push(card);
  }
  const last = (area) => Number(area === 'other problems');
  return [...areas].sort(([a], [b]) => last(a) - last(b) || compare(a, b));
}

// Problems that a search finds and that have no result on the GPU asked for.
function missingOf(filter) {
  const present = new Set(rows.filter((row) => !filter.device || row.device === filter.device).map((row) => row.board.of));
  const terms = termsOf(filter.q);
  return [...problems.values()].filter((problem) => !present.has(problem) && terms.every((term) => problemText(problem).includes(term)));
}

function missingPart(filter) {
  if (filter.show || filter.precision || filter.problem) return [];
  const missing = missingOf(filter);
  if (!missing.length) return [];
  const name = (problem) => element('li', {}, problem.statement ? element('a', { href: fileAddress(problem.statement) }, problem.slug) : problem.slug);
  const where = filter.device ? ` on ${gpuText(filter.device)}` : '';
  return [element('section', { class: 'area missing' }, element('h3', {}, `No result${where} `, element('span', {}, wholeText(missing.length))),
      element('ul', {}, ...missing.map(name)))];
}

function showCards(found, filter) {
  let left = filter.allCards ? Infinity : mostCards;
  const areas = cardsOf(found, filter.q);
  const all = areas.reduce((sum, [, cards]) => sum + cards.length, 0);
  const parts = [];
  for (const [area, cards] of areas) {
    if (left <= 0) break;
    parts.push(element('section', { class: 'area' },
        ...(area ? [element('h3', {}, `${area} `, element('span', {}, wholeText(cards.length)))] : []),
        element('div', { class: 'cards' }, ...cards.slice(0, left).map(([problem, some]) => cardOf(problem, some, filter.show)))));
    left -= cards.length;
  }
  if (all > mostCards && !filter.allCards) parts.push(element('button', { type: 'button', id: 'all-cards' }, `Show all ${wholeText(all)} problems`));
  const missing = missingPart(filter);
  if (!all && !missing.length) parts.push(element('p', { class: 'about' }, 'Nothing matches.'));
  document.getElementById('cards').replaceChildren(...parts, ...missing);
}
