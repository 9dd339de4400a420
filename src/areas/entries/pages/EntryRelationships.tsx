import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listRelationshipsOptions } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { PersonLink } from '../../../directory/person-columns.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { Card } from '../../../ui/layout/Card.tsx';

const SHOWN = 5;

/** Who of the site knows the contact best, with the reasons of the scores; nothing for entries that are no contacts. */
export function EntryRelationships({ entryId }: { entryId: number }) {
  const { allowed } = usePermission('listRelationships');
  const { data } = useQuery({
    ...listRelationshipsOptions({ query: { entryId, pageSize: SHOWN } }),
    enabled: allowed,
  });
  if (!data || data.totalCount === 0) return null;
  return (
    <Card title="Relationships">
      {data.relationships.map(({ userId, userName, address, score, reasons }) => (
        <div className="ent-line" key={`${userId} ${address}`}>
          <p>
            {userName === null ? (
              `User ${userId}`
            ) : (
              <PersonLink id={userId} name={userName} to="/users/$userId" tabIndex={0} />
            )}
          </p>
          <span className="ent-quiet">
            Score <b className="num">{score}</b>:{' '}
            {reasons.map(({ text, points }) => `${text} (${points})`).join(' · ')}
          </span>
        </div>
      ))}
      <div className="ent-line">
        <Link to="/imports/relationships" search={{ entryId }}>
          {pluralize(data.totalCount, 'relationship', 'relationships')} of this contact
        </Link>
      </div>
    </Card>
  );
}
