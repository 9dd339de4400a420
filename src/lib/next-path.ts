/** Where to go after signing in: a path of this console only, so that a mailed link cannot lead elsewhere. */
export function nextPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !URL.canParse(value, origin)) return '/';
  const url = new URL(value, origin);
  const path = url.pathname + url.search + url.hash;
  const elsewhere = url.origin !== origin || path.startsWith('//');
  return elsewhere || url.pathname === '/sign-in' ? '/' : path;
}
