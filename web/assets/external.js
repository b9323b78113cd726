// Keys of parties outside the node. A key stays in this browser (IndexedDB, not extractable) or in a file of the
// visitor; the page sends only public keys and signatures.
(() => {
  const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, '0')).join('');
  const unhex = (text) => new Uint8Array(text.match(/../g).map((pair) => parseInt(pair, 16)));
  const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
  const unbase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const algorithm = { name: 'Ed25519' };

  // The name of a key: a hash with the purpose of keys, as the ledger names it.
  const fingerprint = async (raw) => '1220' + hex(await crypto.subtle.digest('SHA-256', new Uint8Array([0, 0, 0, 12, ...raw])));

  const inStore = (mode, use) => new Promise((resolve, reject) => {
    const open = indexedDB.open('florin-keys', 1);
    open.onupgradeneeded = () => open.result.createObjectStore('keys');
    open.onerror = () => reject(open.error);
    open.onsuccess = () => {
      const request = use(open.result.transaction('keys', mode).objectStore('keys'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    };
  });
  const keep = async (key) => {
    const name = await fingerprint(unhex(key.raw));
    return inStore('readwrite', (keys) => keys.put(key, name));
  };
  const find = (name) => inStore('readonly', (keys) => keys.get(name));

  const make = async (isFile) => {
    const pair = await crypto.subtle.generateKey(algorithm, isFile, ['sign', 'verify']);
    const key = { raw: hex(await crypto.subtle.exportKey('raw', pair.publicKey)), secret: pair.privateKey };
    return { key, file: isFile && await crypto.subtle.exportKey('pkcs8', pair.privateKey) };
  };
  const read = async (file) => {
    if (!file) throw new Error('Choose the file with the key.');
    const body = (await file.text()).match(/-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----/);
    if (!body) throw new Error('This file has no key: it must begin with BEGIN PRIVATE KEY.');
    const der = unbase64(body[1].replace(/\s/g, ''));
    const { x } = await crypto.subtle.exportKey('jwk', await crypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']));
    const raw = hex(unbase64(x.replace(/-/g, '+').replace(/_/g, '/')));
    return { raw, secret: await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']) };
  };
  const download = (name, der) => {
    const text = '-----BEGIN PRIVATE KEY-----\n' + base64(der).match(/.{1,64}/g).join('\n') + '\n-----END PRIVATE KEY-----\n';
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name + '.pem';
    link.click();
  };

  // The browser sends a form again by form.submit() once its fields are filled.
  const prepare = (form, fill) => {
    const said = form.querySelector('[role=status]');
    document.getElementById('without').hidden = true;
    form.hidden = false;
    if (!window.crypto.subtle) {
      said.textContent = 'This browser signs only on a page with https, or on this machine.';
      form.querySelector('button').disabled = true;
      return;
    }
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        await fill(form);
        form.submit();
      } catch (problem) {
        said.textContent = problem.message;
      }
    });
  };

  const creates = document.getElementById('new-key');
  if (creates) {
    let made;
    prepare(creates, async ({ elements }) => {
      const way = elements.keep.value;
      if (way == 'file' && !made) { // leaving the page would end the download
        made = await make(true);
        download(elements.name.value, made.file);
        throw new Error('The file is downloaded. Press Prepare again when you have it.');
      }
      const { key } = way == 'file' ? made : way == 'read' ? { key: await read(elements['key-file'].files[0]) } : await make(false);
      if (way == 'browser') await keep(key);
      elements.key.value = key.raw;
    });
  }
  const signs = document.getElementById('sign');
  if (signs) {
    const wanted = signs.dataset.fingerprint;
    const field = signs.querySelector('[type=file]');
    const stored = find(wanted).catch(() => undefined);
    const start = (known) => prepare(signs, async ({ elements }) => {
      const key = known || await read(field.files[0]);
      if (await fingerprint(unhex(key.raw)) != wanted) throw new Error('This key is of another party.');
      elements.key.value = key.raw;
      for (const one of signs.querySelectorAll('[data-hash]')) {
        one.value = hex(await crypto.subtle.sign(algorithm, key.secret, unhex(one.dataset.hash)));
      }
    });
    stored.then((key) => { // the form appears whole: nothing moves under a press
      field.parentElement.hidden = !!key;
      start(key);
    });
  }
})();
