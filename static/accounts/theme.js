// The theme that was chosen in the application, before the first paint.
try {
  const theme = localStorage.getItem('parley-theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch { /* no storage: the system's theme */ }
