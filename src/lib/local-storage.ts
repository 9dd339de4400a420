/** Stores a choice in this browser. Without storage, or when it is full, the choice holds until the page is left. */
export function saveLocally(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice itself was made.
  }
}
