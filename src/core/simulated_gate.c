/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/gate_pause.h"
#include "core/simulated_gate.h"

#define ATTEMPT_NS (NS_PER_S / 5)

/* Until the next in the queue has the turn: the kernel takes 2 to 3 ms. */
#define TURN_NS (2 * NS_PER_MS)

#define PATIENCE_NS (70 * NS_PER_S)

struct simulated_gate
simulated_gate_start(void)
{
	return (struct simulated_gate) { .record = gate_record_new() };
}

static struct gate_run
run_of(
    const struct simulation *simulation, const struct simulated_client *client)
{
	const struct simulated_gate *gate = &simulation->gate;

	return (struct gate_run) {
		.id = (uint64_t)(client - simulation->clients),
		.turn = gate->holder == client ? gate->record.turn : 0,
		.turn_ns = simulation->queue.now_ns,
		.patience_ns = PATIENCE_NS,
	};
}

static void
wake_at(struct simulation *simulation, struct simulated_client *client,
    int64_t at_ns)
{
	client->waiting.at_ns = max_ns(at_ns, simulation->queue.now_ns);
	event_queue_put(&simulation->queue, &client->waiting);
}

/* The first in the queue has the turn, in a moment. */
static void
pass_turn(struct simulation *simulation)
{
	struct simulated_gate *gate = &simulation->gate;
	struct event *first = gate->first;

	gate->holder = (struct simulated_client *)first;
	if (first == NULL)
		return;
	gate->first = first->next;
	wake_at(simulation, gate->holder,
	    saturating_add(simulation->queue.now_ns, TURN_NS));
}

static void
join_queue(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_gate *gate = &simulation->gate;

	client->waiting.next = NULL;
	if (gate->first == NULL)
		gate->first = &client->waiting;
	else
		gate->last->next = &client->waiting;
	gate->last = &client->waiting;
	if (gate->holder == NULL)
		pass_turn(simulation);
}

static void
begin(struct simulation *simulation, struct simulated_client *client)
{
	client->trying = true;
	client->served = simulated_attempt(simulation);
	client->began_ns = simulation->queue.now_ns;
	wake_at(
	    simulation, client, saturating_add(client->began_ns, ATTEMPT_NS));
}

/* It wants to start an attempt, with or without the turn. */
static void
ask(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_gate *gate = &simulation->gate;
	struct gate_run run = run_of(simulation, client);
	struct gate_decision decision
	    = gate_ask(&gate->record, simulation->queue.now_ns, &run);

	if (decision.kind == GATE_QUEUE) {
		join_queue(simulation, client);
	} else if (decision.kind == GATE_WAIT) {
		wake_at(simulation, client, decision.until_ns);
	} else {
		begin(simulation, client);
		if (decision.kind == GATE_START && gate->holder == client)
			pass_turn(simulation);
	}
}

/* It ends now; it probed if it still has the turn. */
static void
tell_gate(struct simulation *simulation, struct simulated_client *client)
{
	struct gate_record *record = &simulation->gate.record;
	int64_t now_ns = simulation->queue.now_ns;
	struct gate_run run = run_of(simulation, client);
	struct gate_attempt attempt = {
		.outcome = client->served ? GATE_ENDED_WELL : GATE_FAILED,
		.began_ns = client->began_ns,
		.ended_ns = now_ns,
		.reason = "",
	};

	if (!client->served)
		attempt.pause_ns = gate_pause(&simulation->settings->policy,
		    simulation->random, gate_failures(record));
	gate_end(record, now_ns, &run, &attempt);
}

/*
 * A failed probe does not count for --attempts, and while the gate is shut
 * there is no other pause.
 */
static void
end(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_gate *gate = &simulation->gate;
	bool probed = gate->holder == client;
	bool goes_on = true;

	client->trying = false;
	tell_gate(simulation, client);
	if (probed)
		pass_turn(simulation);
	if (client->served || !probed)
		goes_on = simulated_verdict(simulation, client, client->served);
	if (!goes_on)
		return;
	if (client->served || gate->record.state == GATE_OPEN
	    || gate->record.state == GATE_RAMP)
		simulated_pause(simulation, client);
	else
		ask(simulation, client);
}

void
simulated_gate_go(
    struct simulation *simulation, struct simulated_client *client)
{
	if (client->trying) {
		end(simulation, client);
	} else if (simulated_time_left(simulation) > 0) {
		ask(simulation, client);
	} else {
		simulated_end(simulation, client, RESULT_DEADLINE);
		if (simulation->gate.holder == client)
			pass_turn(simulation);
	}
}
