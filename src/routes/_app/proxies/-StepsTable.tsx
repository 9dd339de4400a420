import { Link } from '@tanstack/react-router';
import { Eye, Pencil } from 'lucide-react';
import { useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { clockTime, exactDate } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { CardBody } from '../../../ui/layout/Card.tsx';
import { cx } from '../../../ui/cx.ts';
import { inWords, outcomeOf, userIn } from './-steps.ts';
import type { ToldStep } from './-steps.ts';

const NONE: Record<'all' | 'writes' | 'reads', string> = {
  all: 'Nothing was read or changed.',
  writes: 'Nothing was changed.',
  reads: 'Nothing was read.',
};

/** The steps in the order of time. A plain table: what is printed has to be in the document. */
export function StepsTable({ steps, kind }: { steps: readonly ToldStep[]; kind: keyof typeof NONE }) {
  const ids = useMemo(
    () => [...new Set(steps.flatMap(({ parts }) => parts.flatMap((part) => userIn(part) ?? [])))],
    [steps],
  );
  const people = usePeople(ids);
  if (steps.length === 0) {
    return (
      <CardBody>
        <p className="px-quiet">{NONE[kind]}</p>
      </CardBody>
    );
  }
  return (
    <table className="steps">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">What</th>
          <th scope="col">About</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step) => (
          <StepRow key={step.key} step={step} people={people} />
        ))}
      </tbody>
    </table>
  );
}

interface StepRowProps {
  step: ToldStep;
  people: ReadonlyMap<number, DirectoryRow>;
}

function StepRow({ step, people }: StepRowProps) {
  const { date, summary, operationId, isWrite, parts, times } = step;
  const { words, bad } = outcomeOf(step);
  const Icon = isWrite ? Pencil : Eye;
  return (
    <tr className={cx(isWrite && 'steps-write')}>
      <td className="num">
        <time dateTime={date} title={exactDate(date)}>
          {clockTime(new Date(date))}
        </time>
      </td>
      <th scope="row">
        <span className="steps-what">
          <Icon />
          <span>
            <span className="visually-hidden">{isWrite ? 'Change: ' : 'Read: '}</span>
            {summary || operationId}
            {times > 1 && <span className="steps-times num"> {count(times)} times</span>}
          </span>
        </span>
      </th>
      <td>
        {parts.map((part) => (
          <span key={part.name} className="steps-part">
            <Part {...part} people={people} />
          </span>
        ))}
      </td>
      <td>{bad ? <Badge tone="warn">{words}</Badge> : words}</td>
    </tr>
  );
}

function Part({ name, value, people }: { name: string; value: string } & Pick<StepRowProps, 'people'>) {
  const id = userIn({ name, value });
  if (id === undefined) return `${inWords(name)} ${value}`;
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {people.get(id)?.name ?? `user ${id}`}
    </Link>
  );
}
