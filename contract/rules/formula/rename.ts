import { tokensOf, type Token } from './syntax.ts';

const WORDS = new Set(['and', 'or', 'not', 'true', 'false']);

/** A formula that parses, with every mention of a field under its new name; everything else stays as it was written. */
export function renameField(source: string, from: string, to: string): string {
  const tokens = tokensOf(source);
  const written = WORDS.has(to.toLowerCase()) ? `[${to}]` : to;
  const renamed = tokens.map((token, at) => {
    if (token.kind === 'field')
      return sameName(token.text.slice(1, -1).trim(), from) ? `[${to}]` : token.text;
    return token.kind === 'name' && sameName(token.text, from) && isField(token, tokens[at + 1])
      ? written
      : token.text;
  });
  return renamed.map((text, at) => text + spaceAfter(source, tokens, at)).join('');
}

const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const isField = ({ text }: Token, next: Token | undefined) =>
  next?.text !== '(' && !WORDS.has(text.toLowerCase());

function spaceAfter(source: string, tokens: readonly Token[], at: number): string {
  const [token, next] = [tokens[at], tokens[at + 1]];
  return token && next ? source.slice(token.at + token.text.length, next.at) : '';
}
