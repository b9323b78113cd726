// What the page can do beside htmx: show times as the reader's clock does, copy, remember names, scan a party id, rest
// while nobody looks, and say that the node does not answer. Without it everything else works.
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
  local(document);
  copies(document);
  document.body.addEventListener('htmx:afterSettle', () => local(document));
  document.body.addEventListener('htmx:beforeRequest', (event) => document.hidden && event.preventDefault());
  document.body.addEventListener('htmx:afterRequest', (event) => lost(event.detail.xhr.status == 0 || event.detail.xhr.status >= 500));
  document.addEventListener('visibilitychange', () => document.hidden || document.body.dispatchEvent(new Event('shown')));
})();
