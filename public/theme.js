// Runs before the first paint, so that nobody sees the wrong theme flash by. Keys as in src/ui/style/theme.ts.
(function () {
  const root = document.documentElement;
  const theme = localStorage.getItem('steward-theme');
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  root.dataset.density = localStorage.getItem('steward-density') ?? 'regular';
})();
