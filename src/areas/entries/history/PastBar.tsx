import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, StepBack, StepForward } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import type { PastState } from '../../../api/generated/types.gen.ts';
import { readChangeMomentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { useZone } from '../model/zone.ts';
import { MomentField } from './MomentField.tsx';
import type { PastView } from './past-view.ts';
import type { PastList } from './use-past.ts';
import { daysOn, momentWords } from './zoned.ts';
import './past.css';

interface PastBarProps {
  typeId: number;
  view: PastView;
  counts: PastList['counts'] | undefined;
  onShow: (view: Partial<Pick<PastView, 'asOf' | 'only' | 'withAdded'>>) => void;
  onToday: () => void;
}

const HOUR = 3_600_000;
const AGO = [
  { label: 'An hour ago', ms: HOUR },
  { label: 'A day ago', ms: 24 * HOUR },
  { label: 'A week ago', ms: 7 * 24 * HOUR },
  { label: 'A month ago', ms: 30 * 24 * HOUR },
];
const STATES: readonly PastState[] = ['added', 'removed', 'changed'];

/** Says that this is the past, which moment of it, and how much is different today. */
export function PastBar({ typeId, view, counts, onShow, onToday }: PastBarProps) {
  const { asOf, only, withAdded } = view;
  const { name: zone } = useZone();
  const choose = (at: string) => onShow({ asOf: at });
  return (
    <div className="past-banner">
      <Banner
        title={asOf === undefined ? 'Choose a moment' : `As it was on ${momentWords(asOf, zone)}`}
        actions={
          <Button size="small" onClick={onToday}>
            Back to today
          </Button>
        }
      >
        <div className="past-bar">
          <MomentField label="As of" at={asOf} onChoose={choose} />
          {asOf === undefined ? (
            <span className="past-ago">
              {AGO.map(({ label, ms }) => (
                <Button
                  key={label}
                  size="small"
                  variant="quiet"
                  onClick={() => choose(new Date(Date.now() - ms).toISOString())}
                >
                  {label}
                </Button>
              ))}
            </span>
          ) : (
            <Steps {...{ typeId, asOf, zone }} onChoose={choose} />
          )}
        </div>
        {counts && (
          <div className="past-bar">
            {STATES.map((state) => (
              <ToggleChip
                key={state}
                label={`${count(counts[state])} ${state} since`}
                on={only === state}
                onChange={(on) => onShow({ only: on ? state : undefined })}
              />
            ))}
            {only === undefined && counts.added > 0 && (
              <ToggleChip
                label="Show added ones too"
                on={withAdded}
                onChange={(on) => onShow({ withAdded: on })}
              />
            )}
            <span className="past-note">
              The names of choices, people and entries are those of today. Nothing is changed here.
            </span>
          </div>
        )}
      </Banner>
    </div>
  );
}

const STEPS = [
  { days: -7, label: 'A week earlier', icon: ChevronsLeft },
  { days: -1, label: 'A day earlier', icon: ChevronLeft },
  { days: 1, label: 'A day later', icon: ChevronRight },
  { days: 7, label: 'A week later', icon: ChevronsRight },
] as const;

interface StepsProps {
  typeId: number;
  asOf: string;
  zone: string;
  onChoose: (at: string) => void;
}

/** From the moment to others: by days, and to when something changed. */
function Steps({ typeId, asOf, zone, onChoose }: StepsProps) {
  const { data: around, error } = useQuery({
    ...readChangeMomentsOptions({ path: { entryTypeId: String(typeId) }, query: { at: asOf } }),
    retry: false,
  });
  const unknown = error ? 'When it changed could not be read' : undefined;
  const reading = around === undefined && !error;
  return (
    <span className="past-ago">
      {STEPS.map(({ days, label, icon }) => (
        <IconButton
          key={days}
          size="small"
          {...{ label, icon }}
          onClick={() => onChoose(untilNow(daysOn(asOf, days, zone)))}
        />
      ))}
      <StepTo
        label="Change before"
        icon={StepBack}
        at={around?.before}
        why={unknown ?? 'Nothing changed before'}
        {...{ reading, onChoose }}
      />
      <StepTo
        label="Change after"
        icon={StepForward}
        at={around?.after}
        why={unknown ?? 'Nothing changed since'}
        {...{ reading, onChoose }}
      />
    </span>
  );
}

interface StepToProps {
  label: string;
  icon: LucideIcon;
  /** Undefined: there is none, or it is being read. */
  at: string | undefined;
  reading: boolean;
  why: string;
  onChoose: (at: string) => void;
}

function StepTo({ label, icon, at, reading, why, onChoose }: StepToProps) {
  return (
    <Button
      size="small"
      variant="quiet"
      icon={icon}
      pending={reading}
      disabledReason={at === undefined && !reading ? why : undefined}
      onClick={() => at !== undefined && onChoose(at)}
    >
      {label}
    </Button>
  );
}

/** No moment lies ahead: a step that leads there ends now. */
const untilNow = (at: string): string => new Date(Math.min(Date.parse(at), Date.now())).toISOString();
