/** Help text of the first page, whose route has no name. */
const FIRST_PAGE = 'home';

/**
 * Finds the help text of a route: the text of the longest beginning of its path, without parameters. `/_app/users/import`
 * has the text `users-import`, `/_app/users/$userId/groups` the text `users`.
 * @returns undefined where no text fits
 */
export function findTopic(routeId: string, topics: readonly string[]): string | undefined {
  const segments = routeId.split('/').filter((segment) => /^[a-z]/.test(segment));
  if (segments.length === 0) return topics.find((topic) => topic === FIRST_PAGE);
  return segments
    .map((_, at) => segments.slice(0, segments.length - at).join('-'))
    .find((name) => topics.includes(name));
}
