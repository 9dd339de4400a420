import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns, userColumns } from '../../kernel/backup-sheets.ts';

/** Members with their accounts; never passwords, sessions, tokens, keys, links or second factors (T24). */
const MEMBERS_SQL = `(select m.*, a.email, a.first_name, a.last_name, a.federation_id, a.home_site_id = m.site_id as is_home
    from membership m join account a on a.user_id = m.user_id)`;

export const membersArea = defineArea({
  name: 'members',
  tables: {
    membership: { backup: { sheet: 'members' } },
  },
  sheets: {
    members: {
      name: 'users.csv',
      kind: 'users',
      from: MEMBERS_SQL,
      keys: ['user_id'],
      columns: [
        ...userColumns('user_id'),
        ...textColumns('email', 'first_name', 'last_name', 'federation_id'),
        ...plainColumns(
          'is_home',
          'is_active',
          'two_factor_enabled',
          'ip_restrictions_enabled',
          'user_entry_id',
        ),
        ...plainColumns('version'),
        ...timeColumns('created_at'),
        ...userColumns('created_by'),
        ...timeColumns('modified_at'),
        ...userColumns('modified_by'),
        ...timeColumns('last_active_at', 'expires_at'),
        ...textColumns('time_zone'),
        ...plainColumns('invitation_id'),
      ],
    },
  },
  auditActions: { group: ['group.assign', 'group.unassign'] },
});
