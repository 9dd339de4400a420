import type { ImportRowPlan } from '../../files/import-plan/plan.ts';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Fact, Facts } from '../../ui/layout/Card.tsx';
import type { ImportDescription } from '../import/index.ts';
import { OUTCOME_LABELS } from './row-columns.tsx';

interface RowDetailsProps {
  plan: ImportRowPlan;
  description: ImportDescription;
  onClose: () => void;
}

/** One row with all changes and errors. */
export default function RowDetails({ plan, description, onClose }: RowDetailsProps) {
  const { row, name, detail, outcome, changes, errors } = plan;
  const { labels } = description;
  return (
    <Panel title={`Row ${row}`} onClose={onClose}>
      <div className="import-details">
        {errors.map(({ field, message }) => (
          <Banner
            key={`${field} ${message}`}
            tone="warn"
            title={field === undefined ? 'The row' : (labels[field] ?? field)}
          >
            {message}
          </Banner>
        ))}
        <Facts>
          <Fact label="Outcome">{OUTCOME_LABELS[outcome].label}</Fact>
          <Fact label="Name">{name || '—'}</Fact>
          {description.detailLabel !== undefined && (
            <Fact label={description.detailLabel}>{detail || '—'}</Fact>
          )}
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
