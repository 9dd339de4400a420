import { quoted } from '../../../files/read.ts';
import type { Read } from '../../../files/read.ts';
import type { Amount } from './stored.ts';
import type { Rules } from './rules.ts';

// As programs write them; a workbook's numbers come so too.
const CANONICAL = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
const POINT = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const COMMA = /^[+-]?(?:\d+|\d{1,3}(?:[. ]\d{3})+)(?:,\d+)?$/;

/** A number as people write it: `1,234.5`, or `1.234,5` where the comma stands before decimals. */
export function readNumber(text: string, { decimal }: Pick<Rules, 'decimal'>): Read<number> {
  const plain = text
    .trim()
    .replaceAll(/[\u00a0\u202f\u2009']/g, decimal === 'comma' ? ' ' : '')
    .replace('−', '-');
  const fault = { fault: `${quoted(text)} is no number` };
  if (decimal === 'comma') {
    if (COMMA.test(plain)) return finite(plain.replaceAll(/[. ]/g, '').replace(',', '.'), fault);
    return CANONICAL.test(plain) && !/^[+-]?\d+\.\d{3}$/.test(plain) ? finite(plain, fault) : fault;
  }
  if (CANONICAL.test(plain)) return finite(plain, fault);
  return POINT.test(plain) ? finite(plain.replaceAll(',', ''), fault) : fault;
}

function finite(text: string, fault: { fault: string }): Read<number> {
  const value = Number(text);
  // The service keeps no negative zero.
  return Number.isFinite(value) ? { value: value + 0 } : fault;
}

const CODE_FIRST = /^([A-Z]{3})\s*(\S.*)$/;
const CODE_LAST = /^(.*\S)\s*([A-Z]{3})$/;

/** An amount, which may name its currency before or after: `EUR 12.50`. */
export function readAmount(text: string, currency: string, rules: Rules): Read<Amount> {
  const plain = text.trim();
  const [, code, rest] = CODE_FIRST.exec(plain) ?? [];
  const [, before, last] = CODE_LAST.exec(plain) ?? [];
  const said = code ?? last;
  const read = readNumber(rest ?? before ?? plain, rules);
  if ('fault' in read) return { fault: `${quoted(text)} is no amount` };
  const other = currency.trim().toUpperCase();
  if (other !== '' && !/^[A-Z]{3}$/.test(other))
    return { fault: `${quoted(currency)} is no currency: write its code, such as EUR` };
  if (said !== undefined && other !== '' && said !== other)
    return { fault: `${quoted(text)} is not in ${other}, as the column of currencies says` };
  return { value: { value: read.value, currencyCode: said ?? (other === '' ? undefined : other) } };
}
