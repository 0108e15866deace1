/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/simulation/simulated_gate.h"

#define ATTEMPT_NS (NS_PER_S / 5)

/* Where it is not at once, a request reaches the service this much later. */
#define LATE_NS (10 * NS_PER_MS)

/* Nobody dies here. */
#define ALL_LIVE UINT8_MAX

void
simulated_gate_start(struct simulation *simulation)
{
	simulation->shared = gate_new();
	for (int64_t i = 0; i < simulation->machines_count; i++)
		simulation->machines[i] = gate_new();
}

/* Neighbours are on different machines. */
static int64_t
machine_of(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return (client - simulation->clients) % simulation->machines_count;
}

/* The gate that CLIENT passes. */
static struct gate *
gate_of(struct simulation *simulation, const struct simulated_client *client)
{
	return simulation->fleet
	    ? &simulation->shared
	    : &simulation->machines[machine_of(simulation, client)];
}

/* To a fleet a machine is what a run is to a machine. */
static uint64_t
run_of(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return (uint64_t)(simulation->fleet ? machine_of(simulation, client)
	                                    : client - simulation->clients);
}

static void
wake_at(struct simulation *simulation, struct simulated_client *client,
    int64_t at_ns)
{
	client->waiting.at_ns = max_ns(at_ns, simulation->queue.now_ns);
	event_queue_put(&simulation->queue, &client->waiting);
}

static void
begin(struct simulation *simulation, struct simulated_client *client)
{
	int64_t spread_ns = simulation->service.late_ns;
	int64_t late_ns = spread_ns > 0
	    ? LATE_NS + random_between(simulation->random, 0, spread_ns)
	    : 0;

	client->stage = CLIENT_COMES;
	client->began_ns = simulation->queue.now_ns;
	wake_at(simulation, client, saturating_add(client->began_ns, late_ns));
}

static void
arrive(struct simulation *simulation, struct simulated_client *client)
{
	client->stage = CLIENT_TRIES;
	client->answer = simulated_attempt(simulation);
	wake_at(simulation, client,
	    saturating_add(simulation->queue.now_ns, ATTEMPT_NS));
}

static void
ask(struct simulation *simulation, struct simulated_client *client)
{
	struct gate_answer answer = gate_look(gate_of(simulation, client),
	    simulation->queue.now_ns, client->ticket, ALL_LIVE);

	client->ticket = answer.ticket;
	if (answer.kind == GATE_WAIT)
		wake_at(simulation, client, answer.until_ns);
	else
		begin(simulation, client);
}

/* What CLIENT tells the gate of its attempt, which ends now. */
static void
tell_gate(struct simulation *simulation, struct simulated_client *client)
{
	static const enum gate_outcome outcomes[] = {
		[SIMULATED_SERVED] = GATE_SUCCESS,
		[SIMULATED_FAILED] = GATE_FAILURE,
		[SIMULATED_REFUSED] = GATE_REFUSAL,
	};
	struct gate *gate = gate_of(simulation, client);
	const struct policy *policy = &simulation->settings->policy;
	struct gate_attempt attempt = {
		.outcome = outcomes[client->answer],
		.run = run_of(simulation, client),
		.ticket = client->ticket,
		.row_ns = simulation->fleet ? GATE_FLEET_ROW_NS : 0,
		.began_ns = client->began_ns,
		.ended_ns = simulation->queue.now_ns,
		.stated_ns = simulated_stated_ns(simulation, client),
		.reason = "",
	};

	if (client->answer != SIMULATED_SERVED)
		attempt.pause_ns = gate_pause(
		    gate, policy, simulation->random, attempt.stated_ns);
	gate_result(gate, simulation->queue.now_ns, &attempt);
}

/*
 * While the gate is shut there is no pause but one that was asked for; while
 * it is paced, one of the first window.
 */
static void
end(struct simulation *simulation, struct simulated_client *client)
{
	const struct gate *gate = gate_of(simulation, client);
	int64_t failures = client->failures;
	bool served = client->answer == SIMULATED_SERVED;
	bool probed = client->ticket != 0;

	tell_gate(simulation, client);
	client->stage = CLIENT_ASKS;
	client->ticket = 0;
	if (!simulated_verdict(simulation, client))
		return;
	if (!served && (probed || (failures > 0 && gate->state == GATE_PACED)))
		client->failures = failures;
	if (served || gate->state != GATE_SHUT
	    || simulated_stated_ns(simulation, client) > 0)
		simulated_pause(simulation, client);
	else
		ask(simulation, client);
}

void
simulated_gate_go(
    struct simulation *simulation, struct simulated_client *client)
{
	if (client->stage == CLIENT_COMES)
		arrive(simulation, client);
	else if (client->stage == CLIENT_TRIES)
		end(simulation, client);
	else if (simulated_time_left(simulation) > 0)
		ask(simulation, client);
	else
		simulated_end(simulation, client, RESULT_DEADLINE);
}
