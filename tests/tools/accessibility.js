// What keeps readers without a mouse, without sight or with weak sight from using a page: returns a sentence for each fault.
// Run in the page; the rules are those of WCAG 2.1, level AA, as far as a program can judge them.
(() => {
  const faults = [];
  const fault = (rule, node) => faults.push(`${rule}: ${(node?.outerHTML ?? '').slice(0, 160)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== 'hidden';
  const textOf = (id) => document.getElementById(id)?.textContent.trim() ?? '';

  const nameOf = (node) => {
    const label = node.getAttribute('aria-label') ?? (node.getAttribute('aria-labelledby') ?? '').split(' ').map(textOf).join(' ');
    return label.trim() || (node.labels?.[0]?.textContent ?? node.textContent).trim();
  };

  const checkDocument = () => {
    if (!document.documentElement.lang || !document.title) fault('language or title', document.head);
    for (const [landmark, selector] of
             [['main', 'main'], ['banner', 'body > header'], ['contentinfo', 'body > footer'], ['heading 1', 'h1']])
      if (all(selector).length !== 1) fault(`one ${landmark}`, document.body);
    for (const nav of all('nav')) if (!nav.hidden && !nameOf(nav)) fault('navigation without a name', nav);
    const ids = all('[id]').map(({id}) => id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) fault(`id ${id} twice`, document.getElementById(id));
    const levels = all('h1, h2, h3, h4, h5, h6').map(({tagName}) => Number(tagName[1]));
    levels.forEach((level, index) => {
      if (level > (levels[index - 1] ?? 0) + 1) fault(`heading ${level} after ${levels[index - 1]}`, document.body);
    });
    for (const section of all('section'))
      if (!textOf(section.getAttribute('aria-labelledby'))) fault('section without its heading', section);
    for (const node of all('[tabindex]')) if (Number(node.getAttribute('tabindex')) > 0) fault('positive tabindex', node);
  };

  const checkControls = () => {
    for (const node of all('button, select, input, a[href], summary')) {
      if (!nameOf(node)) fault('control without a name', node);
      const {width, height} = node.getBoundingClientRect();
      const isInText = node.matches('a') || node.classList.contains('skip');
      if (isShown(node) && !isInText && (width < 24 || height < 24)) fault(`target of ${width} x ${height}`, node);
    }
    for (const image of all('img')) if (!image.hasAttribute('alt')) fault('image without alt', image);
    for (const canvas of all('canvas'))
      if (canvas.getAttribute('role') !== 'img' || nameOf(canvas).length < 20) fault('chart without words', canvas);
    for (const box of all('.canvas')) {
      const figure = box.closest('figure');
      if (!box.hidden && !figure.querySelector('details.data summary')) fault('chart without its figures', figure);
    }
  };

  const checkTables = () => {
    for (const table of all('table')) {
      if (!table.caption?.textContent) fault('table without a caption', table);
      const heads = [...table.querySelectorAll('th')];
      if (heads.length === 0 || heads.some((head) => !['col', 'row'].includes(head.scope))) fault('heads without scope', table);
    }
    for (const box of all('.scroll'))
      if (box.tabIndex !== 0 || box.getAttribute('role') !== 'region' || !nameOf(box)) fault('scrolls by mouse only', box);
  };

  // Contrast: relative luminances of WCAG 2.1 of the text and of what lies behind it.
  const channels = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return {rgb: [red, green, blue], alpha};
  };
  const luminance = (rgb) => rgb.map((value) => value / 255)
                                 .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
                                 .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (node) => {
    for (let place = node; place; place = place.parentElement) {
      const {rgb, alpha} = channels(getComputedStyle(place).backgroundColor);
      if (alpha === 1) return rgb;
    }
    return [255, 255, 255];
  };

  const checkContrast = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || node.matches('script, noscript, option, :disabled') || !isShown(node)) continue;
      const style = getComputedStyle(node);
      const key = [style.color, behind(node), style.fontSize, style.fontWeight].join();
      if (seen.has(key)) continue;
      seen.add(key);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const found = contrast(channels(style.color).rgb, behind(node));
      if (found < (isLarge ? 3 : 4.5)) fault(`contrast ${found.toFixed(2)}`, node);
    }
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const hex = (text) => [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
    for (const series of [...colour('--series').split(/\s+/), colour('--bad'), colour('--good')]) {
      const found = contrast(hex(series), hex(colour('--surface')));
      if (found < 3) fault(`colour ${series} of a chart, contrast ${found.toFixed(2)}`, document.body);
    }
  };

  checkDocument();
  checkControls();
  checkTables();
  checkContrast();
  return faults;
})()
