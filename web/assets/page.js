// What the page can do beside htmx: show times as the reader's clock does, copy, remember names, scan a party id, draw live
// figures, rest while nobody looks, and say that the node does not answer. Without it everything else works.
(() => {
  const local = (root) => root.querySelectorAll('time[datetime]:not([title])').forEach((time) => {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  });
  const copies = (root) => navigator.clipboard && root.querySelectorAll('[data-copy]').forEach((button) => {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = 'Copied';
    });
  });
  const place = document.getElementById('lost');
  const lost = (isLost) => {
    const words = isLost ? place.dataset.words : '';
    document.body.classList.toggle('lost', isLost);
    if (place.textContent == words) return; // so that screen readers say it once
    place.textContent = words;
    place.className = isLost ? 'problem' : '';
  };
  // Saved names are in this browser only, for each wallet: the node has no place for them.
  const saved = (owner) => {
    try {
      return new Map(Object.entries(JSON.parse(localStorage.getItem('names ' + owner)) || {}));
    } catch {
      return new Map();
    }
  };
  const make = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text }, more);
  const receivers = (to) => {
    const names = saved(to.dataset.names);
    to.list.prepend(...[...names].map(([name, party]) => make('option', party, { value: name })));
    to.form.addEventListener('submit', () => {
      to.value = names.get(to.value.trim()) || to.value;
      const typed = ['to', 'amount', 'note', 'hours'].map((name) => [name, to.form.elements[name].value]);
      history.replaceState(null, '', '/wallet/send?' + new URLSearchParams(typed)); // so that Back shows what was typed
    });
  };
  const editor = (part) => {
    const owner = part.dataset.owner, form = part.querySelector('form'), rows = part.querySelector('tbody');
    const keep = (names) => {
      localStorage.setItem('names ' + owner, JSON.stringify(Object.fromEntries(names)));
      show(names);
    };
    const show = (names) => {
      rows.closest('table').hidden = !names.size;
      rows.replaceChildren(...[...names].sort().map(([name, party]) => {
        const row = make('tr', ''), what = make('td', '', { className: 'what' }), id = make('td', '', { className: 'id' });
        const send = make('a', name, { href: '/wallet/send?to=' + encodeURIComponent(party) });
        const remove = make('button', 'Remove', { type: 'button', className: 'quiet' });
        remove.setAttribute('aria-label', 'Remove ' + name);
        remove.addEventListener('click', () => { names.delete(name); keep(names); });
        what.append(send);
        id.append(make('code', party));
        row.append(what, id, make('td', ''));
        row.lastChild.append(remove);
        return row;
      }));
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      keep(saved(owner).set(form.elements.name.value.trim(), form.elements.party.value.trim()));
      form.reset();
    });
    document.getElementById('without').hidden = true;
    part.hidden = false;
    show(saved(owner));
  };
  const fills = (link) => link.addEventListener('click', (event) => {
    const field = document.getElementById(link.dataset.fill);
    field.value = link.dataset.with;
    field.focus();
    event.preventDefault();
  });
  const scans = (part) => {
    if (!window.BarcodeDetector) return;
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    const [button, video, picture, said] = ['button', 'video', 'input', '[role=status]'].map((s) => part.querySelector(s));
    const read = async (image) => {
      const [found] = await detector.detect(image);
      if (!found) return false;
      const field = document.getElementById(part.dataset.into);
      field.value = found.rawValue;
      field.focus();
      said.textContent = 'Found a party id.';
      return true;
    };
    const look = async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      video.srcObject = stream;
      video.hidden = false;
      await video.play();
      while (!video.paused && !await read(video)) await new Promise((then) => setTimeout(then, 250));
      stream.getTracks().forEach((track) => track.stop());
      video.hidden = true;
    };
    const tell = (problem) => { said.textContent = 'Nothing was read: ' + problem.message; };
    button.hidden = !navigator.mediaDevices;
    button.addEventListener('click', () => look().catch(tell));
    picture.addEventListener('change', async () => {
      try {
        if (!await read(await createImageBitmap(picture.files[0]))) said.textContent = 'This picture has no QR code.';
      } catch (problem) {
        tell(problem);
      }
    });
    part.hidden = false;
  };
  const each = (selector, prepare) => document.querySelectorAll(selector).forEach(prepare);
  each('[data-names]', receivers);
  each('#names', editor);
  each('[data-fill]', fills);
  each('#scan', scans);
  // The page remembers the live figures while it is open, and draws them.
  const pointsOf = new Map();
  const mostPoints = 360, wide = 340, high = 130, left = 52, right = 8, top = 10, foot = 24;
  const shape = (name, attributes, words = '') => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = words;
    return made;
  };
  const number = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  const chartOf = (title, points) => {
    const most = Math.max(...points.map((point) => point.value)) || 1;
    const first = points[0].at, span = points.at(-1).at - first;
    const x = (at) => left + (wide - left - right) * (at - first) / span;
    const y = (value) => high - foot - (high - foot - top) * value / most;
    const time = (at) => new Date(at).toLocaleTimeString();
    const day = new Date(first).toLocaleDateString(undefined, { dateStyle: 'medium' });
    const chart = shape('svg', { viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label':
      `${title}, ${day}, from ${time(first)} to ${time(points.at(-1).at)}: now ${number(points.at(-1).value)}, at most ${number(most)}` });
    [0, most / 2, most].forEach((value) => chart.append(
      shape('line', { class: 'axis', x1: left, x2: wide - right, y1: y(value), y2: y(value) }),
      shape('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, number(value))));
    chart.append(shape('text', { x: left, y: high - 6 }, `${day}, ${time(first)}`),
      shape('text', { x: wide - right, y: high - 6, 'text-anchor': 'end' }, time(points.at(-1).at)),
      shape('path', { class: 'line', d: 'M' + points.map((point) => `${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`).join('L') }));
    return chart;
  };
  const draw = () => {
    const charts = document.getElementById('charts');
    if (!charts) return;
    const figures = [...document.querySelectorAll('[data-figure]')].map((figure) => {
      const points = pointsOf.get(figure.dataset.figure) || [];
      const at = Date.parse(figure.dataset.at);
      if (!points.length || points.at(-1).at < at) points.push({ at, value: Number(figure.dataset.value) });
      pointsOf.set(figure.dataset.figure, points.slice(-mostPoints));
      if (points.length < 2) return null;
      const drawn = document.createElement('figure'), words = document.createElement('figcaption');
      words.textContent = [figure.querySelector('dt').textContent, figure.querySelector('small')?.textContent].filter(Boolean).join(', ');
      drawn.append(words, chartOf(words.textContent, points));
      return drawn;
    }).filter(Boolean);
    charts.hidden = !figures.length;
    charts.replaceChildren(...figures);
  };
  local(document);
  copies(document);
  draw();
  document.body.addEventListener('htmx:afterSettle', () => { local(document); draw(); });
  document.body.addEventListener('htmx:beforeRequest', (event) => document.hidden && event.preventDefault());
  document.body.addEventListener('htmx:afterRequest', (event) => lost(event.detail.xhr.status == 0 || event.detail.xhr.status >= 500));
  // One stream tells that the ledger has something new for the visitor, also each time it opens; then the parts of the page
  // read themselves again. A page that nobody sees has no stream. If the node refuses the stream, the page tries again later.
  // The node pings every ten seconds: a stream without a word for longer has lost it, and the browser may not know.
  const changed = () => document.body.dispatchEvent(new Event('changed'));
  const retry = 30_000, silence = 25_000;
  let stream, later;
  const close = () => {
    clearTimeout(later);
    stream?.close();
  };
  const follow = () => {
    close();
    if (document.hidden) return;
    if (!document.body.dataset.events) return changed();
    stream = new EventSource(document.body.dataset.events);
    const after = (pause, next) => {
      clearTimeout(later);
      later = setTimeout(next, pause);
    };
    const heard = () => after(silence, () => {
      lost(true);
      follow();
    });
    heard();
    stream.addEventListener('ping', heard);
    stream.onmessage = () => {
      heard();
      lost(false);
      changed();
    };
    stream.onerror = () => {
      if (stream.readyState != EventSource.CLOSED) return lost(true); // the browser opens it again
      after(retry, follow);
      changed();
    };
  };
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', close);
  if (document.body.dataset.events) follow();
})();
