let currentToken = '';

/**
 * Token of the opened invitation, in memory only. In a module of its own because the loader and the component of a route
 * are separate chunks, each with its own copy of a variable of the route file.
 */
export const invitationToken = {
  get: (): string => currentToken,
  set(token: string) {
    currentToken = token;
  },
};
