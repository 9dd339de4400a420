/** Prints results of commands for people, as aligned text. */

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

// Results contain names that users chose: a control character could move the cursor of the terminal.
const removeControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');

/** The result as text: a table for a list of objects, one line a property for an object. */
export function formatResult(result: unknown): string {
  if (Array.isArray(result) && result.every(isRecord)) return formatTable(result);
  if (!isRecord(result)) return `${removeControls(formatValue(result))}\n`;
  const width = Math.max(0, ...Object.keys(result).map((key) => key.length));
  return Object.entries(result)
    .map(([key, value]) => `${key.padEnd(width)}  ${removeControls(formatValue(value))}\n`)
    .join('');
}

function formatTable(rows: readonly Record<string, unknown>[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (keys.length === 0) return 'none\n';
  const cells = [keys, ...rows.map((row) => keys.map((key) => removeControls(formatValue(row[key]))))];
  const widths = keys.map((_key, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
