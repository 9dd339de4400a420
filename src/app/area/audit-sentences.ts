let sentences: Readonly<Record<string, string>> = {};

/** Sets the sentences of all areas for audit actions; called once with those that `app/registry.ts` collected. */
export function setAuditSentences(collected: Readonly<Record<string, string>>): void {
  sentences = collected;
}

/** The sentence of an audit action, without the full stop; undefined for an action that no area describes. */
export const getAuditSentence = (action: string): string | undefined => sentences[action];
