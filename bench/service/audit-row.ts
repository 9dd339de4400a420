/** A row of the audit log that changes a name, as `insertInto('audit_log')` takes it. */
export const createAuditRow = (siteId: number, requestId: string) => ({
  site_id: siteId,
  actor_id: 7,
  proxy_id: null,
  action: 'user.update',
  subject_type: 'user',
  subject_id: '12',
  subject_name: null,
  configuration_kind: null,
  ip: '10.0.0.1',
  request_id: requestId,
  changes: { lastName: ['Okafor', 'Okafor-Lind'] },
});
