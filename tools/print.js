// Run in a page of the built site: makes one document of all pages, ready to be printed.
// Returns complaints on what would be cut off at the edge of the paper.
async ({title, front, parts}) => {
    const make = (name, className, html = '') => {
        const element = document.createElement(name);
        element.className = className;
        element.innerHTML = html;
        return element;
    };
    const pages = parts.flatMap(part => part.pages);
    const address = page => new URL(`/${page}.html`, location.origin).href;
    const known = new Map(pages.map(page => [address(page), page]));
    const anchor = (page, id) => page.replaceAll('/', '-') + (id ? `--${id}` : '');
    const shrunk = [];

    // ---- a page: its article, with names of its own and links that stay in the document
    const article = async page => {
        const answer = await fetch(address(page));
        if (!answer.ok) throw new Error(`${address(page)}: ${answer.status}`);
        const parsed = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const found = parsed.querySelector('article.bd-article');
        // what is folded on the site is evidence and stays there; folded text is unfolded
        found.querySelectorAll('script, a.headerlink, .viewcode-link, details.hide, .toctree-wrapper')
            .forEach(e => (e.closest('a.reference:has(.viewcode-link)') ?? e).remove());
        for (const e of found.querySelectorAll('div.cell'))
            if (!e.textContent.trim() && !e.querySelector('img')) e.remove();
        found.querySelectorAll('details').forEach(e => { e.open = true; });
        // of the package, what there is: how to call it is for the screen
        for (const e of found.querySelectorAll('dl.py > dd'))
            e.replaceChildren(...[...e.children].filter(child => child.matches('p')).slice(0, 1));
        for (const e of found.querySelectorAll('[id]')) e.id = anchor(page, e.id);
        for (const e of found.querySelectorAll('img')) {
            e.src = new URL(e.getAttribute('src'), address(page)).href;
            e.loading = 'eager';
            if (e.matches('.cell_output img')) shrunk.push(e);
        }
        for (const e of found.querySelectorAll('a[href]')) {
            const target = new URL(e.getAttribute('href'), address(page));
            const inside = known.get(target.origin + target.pathname);
            if (inside) e.setAttribute('href', '#' + anchor(inside, decodeURIComponent(target.hash.slice(1))));
            else if (target.origin === location.origin) e.replaceWith(...e.childNodes);
            else e.setAttribute('href', target.href);
        }
        for (let level = 5; level >= 1; level--)  // parts are the first level
            for (const e of found.querySelectorAll(`h${level}`)) {
                const lower = make(`h${level + 1}`, e.className);
                lower.append(...e.childNodes);
                e.replaceWith(lower);
            }
        // a section may begin on the page before its heading: its names lead to the heading
        for (const e of found.querySelectorAll('section[id]')) {
            const heading = e.querySelector(':scope > :is(h2, h3, h4, h5, h6)');
            if (!heading) continue;
            heading.append(...e.querySelectorAll(':scope > span[id]:empty'));
            heading.id = e.id;
            e.removeAttribute('id');
        }
        return found;
    };

    // ---- the document
    const book = make('main', 'book bd-content');
    const contents = make('section', 'contents', '<h1 id="contents">Contents</h1>');
    const entry = (className, id, heading) => {
        const line = make('a', className);
        line.href = '#' + id;
        line.append(...heading.cloneNode(true).childNodes);
        line.querySelectorAll('a').forEach(e => e.replaceWith(...e.childNodes));
        line.querySelectorAll('[id]').forEach(e => e.removeAttribute('id'));
        contents.append(line);
    };
    book.append(make('section', 'front', front), contents);
    let rules = '';
    const loaded = new Map(await Promise.all(pages.map(async page => [page, await article(page)])));
    for (const part of parts) {
        part.pages.forEach((page, i) => {
            const chapter = loaded.get(page), sheet = `sheet-${book.children.length}`;
            chapter.className = 'chapter';
            chapter.id = anchor(page, '');
            chapter.style.page = sheet;
            const name = chapter.querySelector('h2');
            const head = name.textContent.replace(/\s+/g, ' ').trim();
            rules += `@page ${sheet} { @top-left { content: ${JSON.stringify(part.name ?? '')} } `
                + `@top-right { content: ${JSON.stringify(head)} } }\n`;
            if (part.name && i === 0) {
                const heading = make('h1', 'part');
                heading.textContent = part.name;
                heading.id = `part-${book.children.length}`;
                chapter.prepend(heading);
                entry('of-part', heading.id, heading);
            }
            entry('of-chapter', chapter.id, name);
            for (const heading of chapter.querySelectorAll('h3[id]')) entry('of-section', heading.id, heading);
            book.append(chapter);
        });
    }
    // the package's members were left out
    for (const e of book.querySelectorAll(`a[href^="#${anchor('book/api', '')}--"]`))
        if (!book.querySelector(`[id="${e.hash.slice(1)}"]`)) e.replaceWith(...e.childNodes);
    document.title = title;
    document.documentElement.dataset.theme = 'light';
    document.documentElement.dataset.mode = 'light';
    document.head.append(make('style', '', rules));
    document.body.className = '';
    document.body.replaceChildren(book);

    await MathJax.startup.promise;
    MathJax.startup.document.options.enableAssistiveMml = false;  // it would not be printed
    await MathJax.typesetPromise([book]);
    await document.fonts.ready;
    await Promise.all([...document.images].map(image => image.decode()));
    // figures are drawn at 144 dots an inch with letters of 12 points: letters of 9 points are those of the text
    for (const e of shrunk) e.style.width = `${e.naturalWidth / 144 * 0.77}in`;

    // ---- what is too wide is made smaller, but never below half; what is low stays on one page
    const room = book.getBoundingClientRect().right;
    for (const e of book.querySelectorAll('table, mjx-container[display]')) {
        const box = e.getBoundingClientRect();
        const inside = e.querySelector(':scope > mjx-math');
        const wide = Math.max(box.width, inside ? inside.getBoundingClientRect().width : e.scrollWidth);
        if (box.left + wide > room + 1) e.style.zoom = Math.max(0.5, (room - box.left) / wide);
    }
    for (const e of book.querySelectorAll('.cell_input, .output, .admonition, .proof, table, figure, details'))
        if (e.getBoundingClientRect().height < innerHeight / 3) e.classList.add('whole');
    // an element, or words in it, beyond the right edge; of those within each other the innermost is named
    const edge = node => {
        const range = document.createRange();
        range.selectNode(node);
        return range.getBoundingClientRect().right;
    };
    const out = new Map();
    const nodes = document.createTreeWalker(book, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
        const node = nodes.currentNode, e = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
        if (edge(node) > room + 1) {
            out.delete(e.parentElement);
            out.set(e, Math.round(edge(node) - room));
        }
    }
    return [...out].map(([e, far]) => `${e.closest('.chapter')?.id}: ${e.tagName.toLowerCase()} stands out by `
        + `${far} pixels: ${e.textContent.trim().slice(0, 60)}`);
}
