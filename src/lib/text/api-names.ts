/** Suggests an API name: "Deal stage" becomes DealStage. Empty if the name has no Latin letters or digits. */
export const suggestApiName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9 _-]/g, '')
    .split(/[ _-]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^[0-9]+/, '')
    .slice(0, 64);
