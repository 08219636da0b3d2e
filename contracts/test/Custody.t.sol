// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract CustodyTest is TenantTest {
    function test_anOfferMovesNothing() public {
        uint256 id = mint(farm, 5);
        uint256 no = offer(farm, id, mill);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, IN_TRANSIT, "status");
        equal(lot.custodian, farm, "custodian");
        equal(lot.pendingCustodian, mill, "pending");
        equal(lot.offerNo, no, "offer");
        equal(lots.ownerOf(id), farm, "owner");
    }

    function test_anAcceptanceMovesCustody() public {
        uint256 id = mint(farm, 5);
        accept(mill, offer(farm, id, mill), id);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, ACTIVE, "status");
        equal(lot.custodian, mill, "custodian");
        equal(lot.pendingCustodian, address(0), "pending");
        equal(lots.balanceOf(farm), 0, "farm");
        equal(lots.balanceOf(mill), 1, "mill");
    }

    function test_aBatchIsAcceptedAtOnce() public {
        uint256[] memory ids = two(mint(farm, 5), mint(farm, 5));
        uint256 no = offer(farm, ids, mill);
        vm.prank(mill);
        lots.acceptCustody(no, ids, noEvent);
        equal(lots.custodianOf(ids[0]), mill, "first");
        equal(lots.custodianOf(ids[1]), mill, "second");
        equal(lots.balanceOf(farm), 0, "farm");
        equal(lots.balanceOf(mill), 2, "mill");
    }

    function test_rejectingAndCancellingBringBackWhatWas() public {
        uint256 id = mint(farm, 5);
        uint256 before = lots.lotWord(id);
        reject(mill, offer(farm, id, mill), id);
        uint256 offerBits = uint256(type(uint40).max) << 192; // the number of the latest offer stays
        equal(lots.lotWord(id) & ~offerBits, before, "rejected");
        cancel(farm, offer(farm, id, mill), id);
        equal(lots.lotWord(id) & ~offerBits, before, "cancelled");
    }

    function test_aBatchCanBeAnsweredInParts() public {
        uint256 a = mint(farm, 1);
        uint256 b = mint(farm, 1);
        uint256 c = mint(farm, 1);
        uint256[] memory ids = new uint256[](3);
        (ids[0], ids[1], ids[2]) = (a, b, c);
        uint256 no = offer(farm, ids, mill);
        accept(mill, no, a);
        reject(mill, no, b);
        equal(lots.custodianOf(a), mill, "accepted");
        equal(status(b), ACTIVE, "rejected");
        equal(status(c), IN_TRANSIT, "open");
        cancel(farm, no, c);
        equal(lots.custodianOf(c), farm, "cancelled");
    }

    function test_onlyTheReceiverAcceptsOrRejectsAndOnlyTheSenderCancels() public {
        uint256 id = mint(farm, 5);
        uint256 no = offer(farm, id, mill);
        refuses(farm, acceptCall(no, id), notCustodian(id, farm));
        refuses(outsider, acceptCall(no, id), notCustodian(id, outsider));
        refuses(farm, rejectCall(no, id), notCustodian(id, farm));
        refuses(mill, cancelCall(no, id), notCustodian(id, mill));
        refuses(admin, cancelCall(no, id), notCustodian(id, admin));
    }

    function test_colleaguesAnswerForTheReceiverAndOfferForTheSender() public {
        uint256 id = mint(farm, 5);
        approveAll(farm, outsider, true);
        uint256 no = offer(outsider, id, mill);
        approveAll(mill, shop, true);
        accept(shop, no, id);
        equal(lots.custodianOf(id), mill, "the receiver's, not the colleague's");
    }

    function test_anAcceptanceNamesTheOfferSoTheGoodsCannotBeSwapped() public {
        uint256 id = mint(farm, 100);
        uint256 agreed = offer(farm, id, mill);
        cancel(farm, agreed, id);
        use(farm, id, 99);
        uint256 second = offer(farm, id, mill);
        refuses(mill, acceptCall(agreed, id), noOffer(id, agreed));
        accept(mill, second, id);
    }

    function test_aLotIsInOneOfferOnce() public {
        uint256 id = mint(farm, 5);
        refuses(farm, offerCall(two(id, id), mill), notActive(id, IN_TRANSIT));
        uint256 no = offer(farm, id, mill);
        refuses(farm, offerCall(id, shop), notActive(id, IN_TRANSIT));
        refuses(mill, abi.encodeCall(TenantLots.acceptCustody, (no, two(id, id), noEvent)), noOffer(id, no));
    }

    function test_anAnswerToOneOfferCannotTakeLotsOfAnother() public {
        uint256 a = mint(farm, 5);
        uint256 b = mint(farm, 5);
        uint256 toMill = offer(farm, a, mill);
        offer(farm, b, shop);
        refuses(mill, abi.encodeCall(TenantLots.acceptCustody, (toMill, two(a, b), noEvent)), noOffer(b, toMill));
        refuses(mill, abi.encodeCall(TenantLots.rejectCustody, (toMill, two(a, b), WHY)), noOffer(b, toMill));
    }

    function test_aLotInTransitCannotBeUsedPackedOrRetired() public {
        uint256 id = mint(farm, 5);
        offer(farm, id, mill);
        bytes memory why = notActive(id, IN_TRANSIT);
        refuses(farm, useCall(id, 1), why);
        refuses(farm, packCall(id, farm), why);
        refuses(farm, retireCall(id, ALL, SOLD), why);
        refuses(farm, transferCall(farm, mill, id), why);
    }

    function test_anEventIsAttachedToOfferAndAcceptance() public {
        uint256 id = mint(farm, 5);
        TenantLots.EventRef memory shipped = withEvent();
        TenantLots.EventRef memory received = withEvent();
        vm.prank(farm);
        uint256 no = lots.offerCustody(one(id), mill, shipped);
        vm.recordLogs();
        vm.prank(mill);
        lots.acceptCustody(no, one(id), received);
        equal(lots.eventCommitment(shipped.eventId), commitment(shipped, farm, one(id)), "shipping");
        equal(lots.eventCommitment(received.eventId), commitment(received, mill, one(id)), "receiving");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 3, "Transfer, EventRecorded, CustodyAccepted");
        equal(logs[1].topics[1], received.eventId, "recorded");
        equal(keccak256(logs[2].data), keccak256(abi.encode(one(id), received.eventId, received.dataHash)), "accepted");
    }

    function test_anEventOnAHandoverNeedsItsProcessAndTheHandoverNone() public {
        uint256 id = record(farm, none(), none(), output(lab, 5), 0);
        TenantLots.EventRef memory e = TenantLots.EventRef(fresh(), "OTHER", "content");
        refuses(lab, abi.encodeCall(TenantLots.offerCustody, (one(id), mill, e)), notAuthorized(lab, "OTHER"));
        grant(lab, 0);
        equal(offer(lab, id, mill), 1, "without an event");
    }

    function test_aRecalledLotIsNotAcceptedButMayGoBack() public {
        uint256 id = mint(farm, 5);
        uint256 no = offer(farm, id, mill);
        recall(id);
        refuses(mill, acceptCall(no, id), isRecalled(id));
        reject(mill, no, id);
        equal(lots.custodianOf(id), farm, "at the sender");
        refuses(farm, offerCall(id, mill), isRecalled(id));
        handOver(farm, id, recycler);
        equal(lots.custodianOf(id), recycler, "returned");
    }

    function test_theRightToTakeReturnsIsAskedAtAcceptance() public {
        uint256 id = mint(farm, 5);
        recall(id);
        uint256 no = offer(farm, id, recycler);
        grant(recycler, OPERATOR_ALL);
        refuses(recycler, acceptCall(no, id), isRecalled(id));
    }

    function test_nobodyIsGivenALotWithoutConsent() public {
        uint256 id = mint(farm, 5);
        refuses(farm, transferCall(farm, mill, id), abi.encodeWithSelector(TenantLots.NoConsent.selector, mill));
        directReceipt(mill, true);
        vm.recordLogs();
        transfer(farm, id, mill);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs[1].topics[0], TenantLots.CustodyMoved.selector, "CustodyMoved");
        equal(lots.custodianOf(id), mill, "custodian");
        directReceipt(mill, false);
        uint256 other = mint(farm, 5);
        refuses(farm, transferCall(farm, mill, other), abi.encodeWithSelector(TenantLots.NoConsent.selector, mill));
    }

    function test_theZeroAddressAndTheContractCannotHold() public {
        uint256 id = mint(farm, 5);
        refuses(farm, offerCall(id, address(0)), invalidAddress(address(0)));
        refuses(farm, offerCall(id, address(lots)), invalidAddress(address(lots)));
        refuses(farm, transferCall(farm, address(0), id), invalidAddress(address(0)));
        refuses(farm, mintCall(output(address(lots), 1)), invalidAddress(address(lots)));
        refuses(farm, mintCall(output(address(0), 1)), invalidAddress(address(0)));
    }
}
