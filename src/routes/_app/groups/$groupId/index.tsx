import { createFileRoute } from '@tanstack/react-router';

/** The group without a panel. */
export const Route = createFileRoute('/_app/groups/$groupId/')({});
