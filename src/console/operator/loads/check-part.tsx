import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { formatCount, plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { UploadCheckDocument, type UploadCheckQuery, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { WholeMatch } from './join-part.js';

type Check = UploadCheckQuery['uploadCheck'];

/** What the load would do, from all rows of the file. */
export function CheckPart({ load }: { load: UploadPreviewQueryVariables }) {
  const query = useAnswer(UploadCheckDocument, load);
  return (
    <>
      {!query.data && query.fetching && <Text role="status">Reading every row, as the load will. A large county takes a few minutes.</Text>}
      <Loaded what="The check" answer={query} placeholder={<Skeleton height={240} />}>
        {({ uploadCheck: check }) => (
          <Stack>
            <Verdict check={check} />
            {load.options.joinUploadId && <WholeMatch load={load} />}
            {check.warnings.map((warning) => (
              <Alert key={warning} color="orange" variant="outline" role="note">
                {warning}
              </Alert>
            ))}
            {check.rejections.length > 0 && (
              <DataTable
                label="Rows that would be rejected"
                rows={check.rejections}
                keyOf={({ reason }) => reason}
                empty=""
                columns={[
                  { title: 'Reason for rejection', cell: ({ reason }) => reason, isText: true },
                  { title: 'Rows', cell: ({ rows }) => formatCount(rows), isNumber: true },
                ]}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}

/** Whether the load would be refused, held or published, and why. */
export function Verdict({ check }: { check: Check }) {
  const { refusal, findings, read, loaded, rejected, replaces } = check;
  if (refusal !== null) {
    return (
      <Alert color="red" variant="outline" title="This load would be refused" role="alert">
        {refusal}
      </Alert>
    );
  }
  const records = plural(loaded, 'record');
  return (
    <>
      <Text>
        {plural(read, 'row')} read: {records}
        {replaces === null ? '' : ` to replace the current ${formatCount(replaces)}`}, {formatCount(rejected)} rejected.
      </Text>
      {findings.length > 0 ? (
        <Alert color="orange" variant="outline" title="This release would be held for your review" role="note">
          <List size="sm">
            {findings.map((finding) => (
              <List.Item key={finding}>{finding}.</List.Item>
            ))}
          </List>
        </Alert>
      ) : (
        <Text>
          {replaces === null
            ? 'Nothing would hold this release.'
            : 'Nothing found so far would hold this release. While it loads, each record is compared with the current one. If too many ids, places or values changed, the release is held for your review.'}
        </Text>
      )}
    </>
  );
}
