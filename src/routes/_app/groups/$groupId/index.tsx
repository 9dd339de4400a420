import { createFileRoute } from '@tanstack/react-router';

/** The group alone, without a panel over it. */
export const Route = createFileRoute('/_app/groups/$groupId/')({});
