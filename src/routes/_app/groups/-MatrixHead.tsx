import { Lock } from 'lucide-react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';

interface MatrixHeadProps {
  columns: readonly GroupInfoResponse[];
  reasons: ReadonlyMap<number, string>;
}

/** The names of the groups; a lock where one may not give or take them. */
export function MatrixHead({ columns, reasons }: MatrixHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className="tbl-first matrix-person" aria-colindex={1}>
          Name
        </th>
        {columns.map(({ id, name }, at) => (
          <th key={id} scope="col" className="matrix-group" aria-colindex={at + 2} title={name}>
            <span>{name}</span>
            {reasons.has(id) && (
              <Tooltip text={reasons.get(id) ?? ''}>
                <span className="matrix-lock">
                  <Lock />
                  <span className="visually-hidden">{reasons.get(id)}</span>
                </span>
              </Tooltip>
            )}
          </th>
        ))}
        <th scope="col" className="matrix-menu" aria-colindex={columns.length + 2}>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}
