import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, StepBack, StepForward } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { PastState } from '../../../../contract/generated/types.gen.ts';
import { readChangeMomentsOptions } from '../../../api/generated/queries/entry-history.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { useTimeZone } from '../model/zone.ts';
import type { AsOfView } from './as-of-view.ts';
import { AsOfField } from './AsOfField.tsx';
import { addDays, formatTimestamp } from './timestamps.ts';
import type { RowsAsOf } from './use-rows-as-of.ts';
import './as-of-bar.css';

interface AsOfBarProps {
  typeId: number;
  view: AsOfView;
  counts: RowsAsOf['counts'] | undefined;
  onShow: (view: Partial<Pick<AsOfView, 'asOf' | 'only' | 'withAdded'>>) => void;
  onToday: () => void;
}

const HOUR_MS = 3_600_000;
const PRESETS = [
  { label: 'An hour ago', ms: HOUR_MS },
  { label: 'A day ago', ms: 24 * HOUR_MS },
  { label: 'A week ago', ms: 7 * 24 * HOUR_MS },
  { label: 'A month ago', ms: 30 * 24 * HOUR_MS },
];
const STATES: readonly PastState[] = ['added', 'removed', 'changed'];

/** Banner of a list as of a past time: selects the time and shows how many entries changed since. */
export function AsOfBar({ typeId, view, counts, onShow, onToday }: AsOfBarProps) {
  const { asOf, only, withAdded } = view;
  const { name: zone } = useTimeZone();
  const showAsOf = (at: string) => onShow({ asOf: at });
  return (
    <div className="past-banner">
      <Banner
        title={asOf === undefined ? 'Choose a point in time' : `As of ${formatTimestamp(asOf, zone)}`}
        actions={
          <Button size="small" onClick={onToday}>
            Back to today
          </Button>
        }
      >
        <div className="past-bar">
          <AsOfField label="As of" value={asOf} onChange={showAsOf} />
          {asOf === undefined ? (
            <span className="past-buttons">
              {PRESETS.map(({ label, ms }) => (
                <Button
                  key={label}
                  size="small"
                  variant="quiet"
                  onClick={() => showAsOf(new Date(Date.now() - ms).toISOString())}
                >
                  {label}
                </Button>
              ))}
            </span>
          ) : (
            <StepButtons {...{ typeId, asOf, zone }} onChange={showAsOf} />
          )}
        </div>
        {counts && (
          <div className="past-bar">
            {STATES.map((state) => (
              <ToggleChip
                key={state}
                label={`${formatNumber(counts[state])} ${state} since`}
                on={only === state}
                onChange={(on) => onShow({ only: on ? state : undefined })}
              />
            ))}
            {only === undefined && counts.added > 0 && (
              <ToggleChip
                label="Include added entries"
                on={withAdded}
                onChange={(on) => onShow({ withAdded: on })}
              />
            )}
            <span className="past-note">
              Names of choices, users and entries are the current ones. This list is read-only.
            </span>
          </div>
        )}
      </Banner>
    </div>
  );
}

const DAY_STEPS = [
  { days: -7, label: 'A week earlier', icon: ChevronsLeft },
  { days: -1, label: 'A day earlier', icon: ChevronLeft },
  { days: 1, label: 'A day later', icon: ChevronRight },
  { days: 7, label: 'A week later', icon: ChevronsRight },
] as const;

interface StepButtonsProps {
  typeId: number;
  asOf: string;
  zone: string;
  onChange: (at: string) => void;
}

/** Buttons to step by days and to the previous and next change. */
function StepButtons({ typeId, asOf, zone, onChange }: StepButtonsProps) {
  const { data: adjacentChanges, error } = useQuery({
    ...readChangeMomentsOptions({ path: { entryTypeId: String(typeId) }, query: { at: asOf } }),
    retry: false,
  });
  const loadError = error ? 'The times of changes could not be loaded' : undefined;
  const isLoading = adjacentChanges === undefined && !error;
  return (
    <span className="past-buttons">
      {DAY_STEPS.map(({ days, label, icon }) => (
        <IconButton
          key={days}
          size="small"
          {...{ label, icon }}
          onClick={() => onChange(clampToNow(addDays(asOf, days, zone)))}
        />
      ))}
      <StepButton
        label="Change before"
        icon={StepBack}
        timestamp={adjacentChanges?.before}
        emptyReason={loadError ?? 'Nothing changed before'}
        {...{ isLoading, onChange }}
      />
      <StepButton
        label="Change after"
        icon={StepForward}
        timestamp={adjacentChanges?.after}
        emptyReason={loadError ?? 'Nothing changed after'}
        {...{ isLoading, onChange }}
      />
    </span>
  );
}

interface StepButtonProps {
  label: string;
  icon: LucideIcon;
  /** Undefined while loading and if there is none. */
  timestamp: string | undefined;
  isLoading: boolean;
  emptyReason: string;
  onChange: (at: string) => void;
}

function StepButton({ label, icon, timestamp, isLoading, emptyReason, onChange }: StepButtonProps) {
  return (
    <Button
      size="small"
      variant="quiet"
      icon={icon}
      pending={isLoading}
      disabledReason={timestamp === undefined && !isLoading ? emptyReason : undefined}
      onClick={() => timestamp !== undefined && onChange(timestamp)}
    >
      {label}
    </Button>
  );
}

/** Limits a timestamp to now. */
const clampToNow = (at: string): string => new Date(Math.min(Date.parse(at), Date.now())).toISOString();
