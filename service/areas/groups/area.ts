import { defineArea } from '../../kernel/area/area.ts';
import {
  plainColumns,
  textColumns,
  timeColumns,
  userColumns,
  GROUP_ID_COLUMN,
} from '../../kernel/backup-sheets.ts';
import { groupHandlers } from './handlers.ts';
import { membershipsJob } from './job-kinds.ts';
import { removeGroupsJob } from './remove-group.ts';

export const groupsArea = defineArea({
  name: 'groups',
  handlers: groupHandlers,
  jobKinds: [membershipsJob, removeGroupsJob],
  tables: {
    user_group: { backup: { sheet: 'groups' } },
    group_member: { backup: { sheet: 'groupMembers' } },
  },
  sheets: {
    groups: {
      name: 'groups.csv',
      kind: 'groups',
      from: 'user_group',
      keys: ['group_id'],
      columns: [
        GROUP_ID_COLUMN,
        ...textColumns('name', 'description', 'capabilities'),
        ...plainColumns('entry_id'),
        ...timeColumns('created_at', 'modified_at'),
      ],
    },
    groupMembers: {
      name: 'groups/members.csv',
      kind: 'groups',
      from: 'group_member',
      keys: ['group_id', 'user_id'],
      columns: [GROUP_ID_COLUMN, ...userColumns('user_id')],
    },
  },
  auditActions: {
    group: ['group.create', 'group.delete', 'group.update'],
    user: ['group.assign', 'group.delete', 'group.unassign'],
  },
});
