import type { About } from '../keep.ts';
import type { Planned } from '../plan.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { OUTCOME_WORDS } from './row-columns.tsx';

interface RowDetailsProps {
  plan: Planned;
  about: About;
  onClose: () => void;
}

/** One row in full: every change before and after, every fault. */
export default function RowDetails({ plan, about, onClose }: RowDetailsProps) {
  const { row, name, detail, outcome, changes, faults } = plan;
  const { labels } = about;
  return (
    <Panel title={`Row ${row}`} onClose={onClose}>
      <div className="import-details">
        {faults.map(({ field, message }) => (
          <Banner
            key={`${field} ${message}`}
            tone="warn"
            title={field === undefined ? 'The row' : (labels[field] ?? field)}
          >
            {message}
          </Banner>
        ))}
        <Facts>
          <Fact label="Outcome">{OUTCOME_WORDS[outcome].label}</Fact>
          <Fact label="Name">{name || '—'}</Fact>
          {about.detail !== undefined && <Fact label={about.detail}>{detail || '—'}</Fact>}
          {changes.map(({ field, before, after }) => (
            <Fact key={field} label={labels[field] ?? field}>
              {before !== '' && (
                <>
                  <del>{before}</del> →{' '}
                </>
              )}
              {after === '' ? '—' : after}
            </Fact>
          ))}
        </Facts>
      </div>
    </Panel>
  );
}
