interface OneTimeToken {
  get: () => string;
  set: (token: string) => void;
}

function createOneTimeToken(): OneTimeToken {
  let current = '';
  return {
    get: () => current,
    set(token) {
      current = token;
    },
  };
}

/**
 * Tokens of the opened invitation and of the opened link, in memory only. In a module of its own because the loader and the
 * component of a route are separate chunks, each with its own copy of a variable of the route file.
 */
export const invitationToken = createOneTimeToken();
export const linkToken = createOneTimeToken();
