// What the page can do beside htmx: show times as the reader's clock does, copy, rest while nobody looks, and say that
// the node does not answer. Without it everything works.
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
  local(document);
  copies(document);
  document.body.addEventListener('htmx:afterSettle', () => local(document));
  document.body.addEventListener('htmx:beforeRequest', (event) => document.hidden && event.preventDefault());
  document.body.addEventListener('htmx:afterRequest', (event) => lost(event.detail.xhr.status == 0 || event.detail.xhr.status >= 500));
  document.addEventListener('visibilitychange', () => document.hidden || document.body.dispatchEvent(new Event('shown')));
})();
