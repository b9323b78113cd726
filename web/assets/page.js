// What the page can do beside htmx: show times as the reader's clock does, and copy. Without it everything works.
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
  local(document);
  copies(document);
  document.body.addEventListener('htmx:afterSettle', () => local(document));
})();
