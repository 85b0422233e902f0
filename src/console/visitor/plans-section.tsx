import { Box, Button, List, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { paths } from '../paths.js';
import { plans } from '../site.js';

const offers = [
  {
    name: 'API Sandbox Trial',
    price: 'Free',
    period: `for ${plans.trial.days} days`,
    facts: [`${plans.trial.records} records`, 'No card', 'Stops when the records are used up; never bills you'],
    action: 'Start the trial',
  },
  {
    name: 'API Records',
    price: plans.paid.price,
    period: 'a month',
    facts: [
      `${plans.paid.records} records included each month`,
      `${plans.paid.overage} for each additional record`,
      'Optional cap on additional records',
    ],
    action: 'Sign up',
  },
];

export function PlansSection() {
  return (
    <Box component="section" id="plans" mt={56} aria-labelledby="plans-title">
      <Title order={2} id="plans-title" mb="md">
        Plans
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {offers.map((plan) => (
          <Paper key={plan.name} withBorder p="lg">
            <Title order={3} size="h4">
              {plan.name}
            </Title>
            <Text my="sm">
              <Text span fz={32} fw={700}>
                {plan.price}
              </Text>{' '}
              <Text span c="dimmed">
                {plan.period}
              </Text>
            </Text>
            <List spacing={4} mb="lg">
              {plan.facts.map((fact) => (
                <List.Item key={fact}>{fact}</List.Item>
              ))}
            </List>
            <Button component={Link} href={paths.signUp()} variant="default">
              {plan.action}
            </Button>
          </Paper>
        ))}
      </SimpleGrid>
    </Box>
  );
}
