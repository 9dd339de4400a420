/** Returns the path to open after signing in; only paths of this console, so that a mailed link cannot lead elsewhere. */
export function parseNextPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !URL.canParse(value, origin)) return '/';
  const url = new URL(value, origin);
  const path = url.pathname + url.search + url.hash;
  const elsewhere = url.origin !== origin || path.startsWith('//');
  return elsewhere || url.pathname === '/sign-in' ? '/' : path;
}
