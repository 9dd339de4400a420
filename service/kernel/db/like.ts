/** Escapes a text for `like` and `ilike`, so that it stands for itself. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** The pattern of `like` and `ilike` for texts that contain a text. */
export const toLikePattern = (text: string): string => `%${escapeLike(text)}%`;
