let held = '';

/**
 * The token of the invitation that is looked at, for the life of the page alone. It has a module of its own because the
 * loader of a route is split off it: a variable beside them would be one in either part.
 */
export const heldToken = {
  get: (): string => held,
  set(token: string) {
    held = token;
  },
};
