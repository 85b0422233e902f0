/** SQL of an operator's correction, with its action in the activity log as the console writes it. It returns the entry; null: it was refused. */
export const adjustment = (balanceId: string, credits: number): string => `
  with adjusted as (
    select entry_id from adjust_balance('${balanceId}', ${credits}, 'as agreed by mail', 'command line')
  ), logged as (
    insert into admin_action (actor, action, target, reason, after)
    select 'command line', 'adjust balance', '${balanceId}', 'as agreed by mail', jsonb_build_object('entry', entry_id) from adjusted
     where entry_id is not null
  )
  select entry_id from adjusted`;
