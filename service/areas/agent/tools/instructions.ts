/**
 * Recognizes texts that are written for a model instead of a person (prompt injection). A heuristic: it marks calls in the ledger for a
 * person to look at, and changes nothing of what the agent gets. All repetitions are bounded, so that it takes linear time.
 */

/** `needs`: a part of every match of the pattern. Nearly all texts have none of these parts, so that one search replaces twelve. */
export const PATTERNS: readonly { needs: RegExp; pattern: RegExp }[] = [
  {
    needs: /ignore|disregard|forget|override|bypass/,
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,60}\b(?:previous|prior|earlier|above|preceding|existing|all|any|your|the)\b[^.!?]{0,40}\b(?:instruction|prompt|rule|guideline|direction|command|context|restriction)s?\b/i,
  },
  {
    needs: /instruction|prompt|directive/,
    pattern:
      /\b(?:new|updated|real|actual|following|important|urgent|secret|hidden)\s+(?:system\s+)?(?:instruction|prompt|directive)s?\b/i,
  },
  {
    needs: /(?:system|developer|hidden)\s/,
    pattern: /\b(?:system|developer|hidden)\s+(?:prompt|message|instruction)s?\b/i,
  },
  {
    needs: /you\s+are\b/,
    pattern:
      /\byou\s+are\s+(?:now\s+|no\s+longer\s+)?(?:an?\s+|the\s+)?(?:\w{1,20}\s+)?(?:ai|assistant|agent|chatbot|language\s+model|llm|dan)\b/i,
  },
  {
    needs: /\b(?:tool|function|mcp)\b/,
    pattern:
      /\b(?:call|use|invoke|run|execute)\s+(?:the\s+|your\s+|a\s+)?(?:\w{1,30}\s+)?(?:tool|function|mcp)\b/i,
  },
  {
    needs: /</,
    pattern: /<\/?\s*(?:system|assistant|user|instructions?|tool_call|function_call|important)\s*>/i,
  },
  {
    needs: /\b(?:system|assistant|ai)\s*:/,
    pattern: /(?:^|\n)[^\S\n]{0,20}(?:#{1,6}\s*)?(?:system|assistant|ai)\s*:/i,
  },
  {
    needs: /\[(?:system|\/?inst)\]|<\|/,
    pattern: /\[(?:system|inst|\/inst)\]|<\|(?:im_start|im_end|system|endoftext)\|>/i,
  },
  {
    needs: /\b(?:not|don't|never|without)\s+(?:tell|inform|mention|reveal|show|notify|ask)/,
    pattern:
      /\b(?:do\s+not|don't|never|without)\s+(?:tell|telling|inform|informing|mention|mentioning|reveal|show|notify|notifying|ask|asking)\b[^.!?]{0,30}\b(?:user|human|person|operator|anyone|customer)\b/i,
  },
  {
    needs: /https?:\/\/|api\s+key|password|credential|token|secret|conversation|system\s+prompt/,
    pattern:
      /\b(?:send|post|upload|forward|exfiltrate|leak|email|transmit)\b[^.!?]{0,80}\b(?:https?:\/\/|api\s+key|password|credential|token|secret|conversation|system\s+prompt)/i,
  },
  {
    needs: /\b(?:ai|llm|model|assistant|agent)\b/,
    pattern:
      /\b(?:as|if\s+you\s+are)\s+an?\s+(?:ai|llm|language\s+model|assistant|agent)\b[^.!?]{0,60}\b(?:must|should|have\s+to|need\s+to|please)\b/i,
  },
  {
    needs: /ignorier/,
    pattern: /\bignorier\w{0,4}\b[^.!?]{0,60}\b(?:anweisung|vorgabe|regel|befehl)\w{0,3}\b/i,
  },
];

const NEEDED = new RegExp(PATTERNS.map(({ needs }) => needs.source).join('|'), 'i');
const NOT_ASCII = /[^\0-\x7F]/;

/** Characters that a model reads and a person does not see: tags, and runs of zero-width or direction characters. */
const HIDDEN = /[\u{E0000}-\u{E007F}]|[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069]{3}/u;

/** Shorter texts hold no instruction. */
const MIN_LENGTH = 12;
/** Longer texts are examined up to here. */
const MAX_LENGTH = 40_000;

/** Whether a text looks like an instruction to a model. */
export function looksLikeInstruction(text: string): boolean {
  if (text.length < MIN_LENGTH) return false;
  const examined = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
  const isAscii = !NOT_ASCII.test(examined);
  if (!isAscii && HIDDEN.test(examined)) return true;
  // Look-alikes and full-width letters become the letters that they are read as.
  const normalized = isAscii ? examined : examined.normalize('NFKC');
  return NEEDED.test(normalized) && PATTERNS.some(({ pattern }) => pattern.test(normalized));
}
