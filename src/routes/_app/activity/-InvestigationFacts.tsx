import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { InvestigationInfo } from '../../../api/generated/types.gen.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { periodWords } from './-moments.ts';
import { toView } from './-question.ts';
import { useNames } from './-use-names.ts';
import { filterWords } from './-words.ts';

const SHORT_HASH = 16;

/** The period of an investigation, which ended when its rows were kept at the latest. */
function periodOf({ query: { dateFrom, dateTo }, createdDate }: InvestigationInfo): string {
  const end = Date.parse(dateTo ?? createdDate);
  return dateFrom === undefined
    ? `90 days until ${periodWords(end, end)}`
    : periodWords(Date.parse(dateFrom), end);
}

/** What was asked, by whom, and what shows that the rows are still those of then. */
export function InvestigationFacts({ info }: { info: InvestigationInfo }) {
  const { createdBy, createdByName, totalRecords, frozenRows, notes, sha256 } = info;
  const view = useMemo(() => toView(info.query), [info.query]);
  const nameOf = useNames([...view.people, ...view.principals]);
  const words = filterWords(view, nameOf);
  return (
    <Card title="What was looked into">
      <Facts>
        <Fact label="Notes">
          {notes === '' ? <span className="inv-soft">None</span> : <p className="inv-notes">{notes}</p>}
        </Fact>
        <Fact label="Asked for">{words.length === 0 ? 'Everything' : words.join(' · ')}</Fact>
        <Fact label="Period">{periodOf(info)}</Fact>
        <Fact label="Saved">
          <span className="inv-by">
            {exactDate(info.createdDate)} by{' '}
            {createdByName === null ? (
              `user ${createdBy}, who has left`
            ) : (
              <Link to="/users/$userId" params={{ userId: createdBy }}>
                {createdByName}
              </Link>
            )}
          </span>
        </Fact>
        <Fact label="Rows">
          {frozenRows === totalRecords
            ? `All ${count(totalRecords)} that matched`
            : `The newest ${count(frozenRows)} of ${count(totalRecords)} that matched`}
        </Fact>
        <Fact label="Hash of the rows">
          <span className="mono" title={sha256}>
            SHA-256 {sha256.slice(0, SHORT_HASH)}…
          </span>{' '}
          <CopyButton value={sha256} label="Copy hash" />
        </Fact>
      </Facts>
    </Card>
  );
}
