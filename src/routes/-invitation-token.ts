/** Kept for the life of the page alone. A module of its own: the route and its loader are in different chunks. */
let kept = '';

export const keepToken = (token: string): void => {
  kept = token;
};

export const keptToken = (): string => kept;
