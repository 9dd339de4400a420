/** Stores a choice in this browser. Without storage, or when it is full, the choice holds until the page is left. */
export function saveLocally(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice itself was made.
  }
}

/** Stores a value for this tab. @returns false without storage, or when it is full */
export function saveForTab(key: string, value: string): boolean {
  try {
    sessionStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
