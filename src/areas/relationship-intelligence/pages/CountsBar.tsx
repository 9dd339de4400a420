import type { ImportCounts } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';

const PARTS = [
  { key: 'added', label: 'added', planned: 'would be added' },
  { key: 'alreadyProcessed', label: 'already processed', planned: 'already processed' },
  { key: 'skipped', label: 'skipped', planned: 'would be skipped' },
] as const;

/** Received = added + already processed + skipped (spec 2.4), as a stacked bar with its numbers. */
export function CountsBar({ counts, isPlanned = false }: { counts: ImportCounts; isPlanned?: boolean }) {
  return (
    <div className="ri-counts">
      <span className="ri-counts-bar" aria-hidden>
        {PARTS.map(
          ({ key }) =>
            counts[key] > 0 && (
              <i key={key} className={`ri-count-${key}`} style={{ flexGrow: counts[key] }} />
            ),
        )}
      </span>
      <span className="ri-counts-text num">
        <span>
          <b>{formatNumber(counts.received)}</b> received
        </span>
        {PARTS.map(({ key, label, planned }) => (
          <span key={key}>
            <i className={`ri-count-${key}`} aria-hidden /> {formatNumber(counts[key])}{' '}
            {isPlanned ? planned : label}
          </span>
        ))}
      </span>
    </div>
  );
}
